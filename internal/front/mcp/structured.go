package mcp

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"tend/internal/app/memory"
	"tend/internal/engine/curator"
	"tend/internal/engine/fleet"
	"tend/internal/text/note"
)

// searchData is what a search found, for programs.
type searchData struct {
	Hits     []hitLocation `json:"hits"`
	Missing  []string      `json:"missing,omitempty"` // words that no file has
	Notes    []string      `json:"notes,omitempty"`
	Replaced []replaced    `json:"replaced,omitempty"` // with current: what the first hit said before, newest first
}

type replaced struct {
	Path  string `json:"path"`
	Line  int    `json:"line,omitempty"`
	Until string `json:"until,omitempty"`
	Text  string `json:"text"`
}

type historyData struct {
	Changes []memory.Event `json:"changes"`
}

// reviewData is what is unread, null if nothing is.
type reviewData struct {
	Request *curator.Request `json:"request,omitempty"`
}

// outputSchema returns the schema of a reading tool's data, nil if it has none.
func outputSchema(tool string) any {
	data := map[string]reflect.Type{
		"memory_read": reflect.TypeFor[memory.Text](), "memory_list": reflect.TypeFor[memory.Page](),
		"memory_search": reflect.TypeFor[searchData](), "memory_history": reflect.TypeFor[historyData](),
		"memory_lost": reflect.TypeFor[fleet.Loss](), "memory_review": reflect.TypeFor[reviewData](),
	}[tool]
	if data == nil {
		return nil
	}
	schema, err := jsonschema.ForType(data, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[note.Day](): {Type: "string"}, reflect.TypeFor[json.RawMessage](): {},
	}})
	if err != nil {
		return nil
	}
	return schema
}
