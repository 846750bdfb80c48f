package store

import "context"

// Counted calls count for every request to a store, with its kind.
func Counted(s Store, count func(request string)) Store { return counted{s, count} }

type counted struct {
	Store
	count func(string)
}

func (c counted) Create(ctx context.Context, key string, data []byte) error {
	c.count("create")
	return c.Store.Create(ctx, key, data)
}

func (c counted) Get(ctx context.Context, key string) ([]byte, error) {
	c.count("get")
	return c.Store.Get(ctx, key)
}

func (c counted) List(ctx context.Context, prefix string) ([]Object, error) {
	c.count("list")
	return c.Store.List(ctx, prefix)
}

func (c counted) Put(ctx context.Context, key string, data []byte) error {
	c.count("put")
	return c.Store.Put(ctx, key, data)
}

func (c counted) Delete(ctx context.Context, key string) error {
	c.count("delete")
	return c.Store.Delete(ctx, key)
}
