package main

import (
	"fmt"
	"os"
	"strings"
)

// genericServer is the command line of a server that no harness's plugin starts.
var genericServer = []string{"mcp", "--plugin", "generic"}

// bundle writes an MCP bundle with the program of one platform, for desktop programs that install servers from a file.
func (r *release) bundle(b build, licences string, licence []byte) error {
	platform, _ := b.node()
	binary, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	program := "server/" + b.program()
	args := append(genericServer[:len(genericServer):len(genericServer)], "--agent=${user_config.agent}")
	about := manifest("manifest.json", object{
		"manifest_version": "0.3", "name": "tend", "display_name": "Tend", "version": r.version, "description": summary,
		"author": object{"name": author}, "homepage": r.base, "license": spdx, "keywords": []string{"memory", "agents"},
		"long_description": "Serves the memory of an agent that Tend looks after. Run `tend init DIR` first; until then the server has no tools.",
		"server": object{"type": "binary", "entry_point": program,
			"mcp_config": object{"command": "${__dirname}/" + program, "args": args, "env": object{}}},
		"tools_generated": true, "prompts_generated": true,
		"compatibility": object{"platforms": []string{platform}},
		"user_config": object{"agent": object{"type": "string", "title": "Agent", "required": false, "default": "",
			"description": "The agent whose memory to serve; may be empty if there is only one"}},
	})
	data, err := zipped([]file{about, {name: program, mode: 0o755, data: binary}, {name: "LICENSE", mode: 0o644, data: licence},
		text("THIRD-PARTY-LICENSES.txt", licences)}, r.date)
	if err != nil {
		return err
	}
	return r.put(fmt.Sprintf("tend_%s_%s.mcpb", r.version, strings.ReplaceAll(b.target.String(), "/", "_")), data)
}

// serverJSON describes the server for the MCP registry. It names the npm package alone, which picks the platform's program;
// a client could not choose among the bundles, because the format has no field for a platform.
func (r *release) serverJSON() error {
	var args []object
	for _, arg := range genericServer[:1] {
		args = append(args, object{"type": "positional", "value": arg})
	}
	args = append(args, object{"type": "named", "name": genericServer[1], "value": genericServer[2]})
	return r.put("server.json", manifest("", object{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    r.registryName(), "title": "Tend", "description": summary, "version": r.version, "websiteUrl": r.base,
		"packages": []object{{
			"registryType": "npm", "identifier": r.npmName(), "version": r.version, "runtimeHint": "npx",
			"transport": object{"type": "stdio"}, "packageArguments": args,
			"environmentVariables": []object{{"name": "TEND_AGENT", "isRequired": false,
				"description": "The agent whose memory to serve; may be left out if there is only one"}},
		}},
	}).data)
}
