//go:build linux

package blklog

import (
	"fmt"
	"hash/maphash"
	"io"
)

const (
	sectorSize = 512
	blockSize  = 4096
)

// block is part of an image; it never changes, so images share it.
type block struct {
	data [blockSize]byte
	// sum covers the data and the place, so that the sums of all blocks of an
	// image add up to one for the image.
	sum  uint64
	zero bool
}

// image is the content of a disk. A clone costs eight bytes a block.
type image struct {
	blocks []*block
	sum    uint64
	seed   maphash.Seed
}

func readImage(r io.ReaderAt, size int64) (*image, error) {
	if size%blockSize != 0 {
		return nil, fmt.Errorf("read image: size %d is no multiple of %d", size, blockSize)
	}
	im := &image{blocks: make([]*block, size/blockSize), seed: maphash.MakeSeed()}
	for i := range im.blocks {
		b := &block{}
		if _, err := r.ReadAt(b.data[:], int64(i)*blockSize); err != nil {
			return nil, fmt.Errorf("read image: %w", err)
		}
		im.seal(i, b)
		im.blocks[i] = b
		im.sum += b.sum
	}
	return im, nil
}

func (im *image) seal(i int, b *block) {
	var h maphash.Hash
	h.SetSeed(im.seed)
	h.Write([]byte{byte(i), byte(i >> 8), byte(i >> 16), byte(i >> 24)})
	h.Write(b.data[:])
	b.sum = h.Sum64()
	b.zero = b.data == [blockSize]byte{}
}

func (im *image) clone() *image {
	return &image{blocks: append([]*block(nil), im.blocks...), sum: im.sum, seed: im.seed}
}

// write changes im only, not its clones.
func (im *image) write(off int64, data []byte) {
	for len(data) > 0 {
		i, at := int(off/blockSize), int(off%blockSize)
		old, b := im.blocks[i], &block{}
		if at != 0 || len(data) < blockSize {
			b.data = old.data
		}
		n := copy(b.data[at:], data)
		im.seal(i, b)
		im.blocks[i] = b
		im.sum += b.sum - old.sum
		off, data = off+int64(n), data[n:]
	}
}

// writeTo leaves out what is zero: w is a new file of the right size.
func (im *image) writeTo(w io.WriterAt) error {
	for i, b := range im.blocks {
		if b.zero {
			continue
		}
		if _, err := w.WriteAt(b.data[:], int64(i)*blockSize); err != nil {
			return fmt.Errorf("write image: %w", err)
		}
	}
	return nil
}

func (im *image) size() int64 { return int64(len(im.blocks)) * blockSize }
