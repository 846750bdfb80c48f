package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"time"
)

// nobody is the user in the image: the id that distroless images use.
const nobody = 65532

type descriptor struct {
	MediaType string            `json:"mediaType"`
	Digest    string            `json:"digest"`
	Size      int               `json:"size"`
	Platform  map[string]string `json:"platform,omitempty"`
	Notes     map[string]string `json:"annotations,omitempty"`
}

// blobs are the contents of an image layout, by their names.
type blobs []file

func (b *blobs) add(kind string, data []byte) descriptor {
	sum := sha256.Sum256(data)
	name := "blobs/sha256/" + hex.EncodeToString(sum[:])
	*b = append(*b, file{name: name, mode: 0o644, data: data})
	return descriptor{MediaType: "application/vnd.oci.image." + kind, Digest: "sha256:" + hex.EncodeToString(sum[:]), Size: len(data)}
}

func (b *blobs) addJSON(kind string, v any) (descriptor, error) {
	data, err := json.Marshal(v)
	return b.add(kind, data), err
}

// image writes an OCI image layout with an image for each Linux target: only the program, an unprivileged user and a
// folder for state. It needs no container engine.
func (r *release) image(built []build, licences string) error {
	var content blobs
	var list []descriptor
	for _, b := range built {
		if b.os != "linux" {
			continue
		}
		d, err := r.platformImage(&content, b, licences)
		if err != nil {
			return err
		}
		list = append(list, d)
	}
	if len(list) == 0 {
		return nil
	}
	images, err := content.addJSON("index.v1+json", map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": list,
	})
	if err != nil {
		return err
	}
	images.Notes = map[string]string{"org.opencontainers.image.ref.name": r.version}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": images.MediaType, "manifests": []descriptor{images}})
	if err != nil {
		return err
	}
	content = append(content,
		file{name: "blobs", mode: fs.ModeDir | 0o755}, file{name: "blobs/sha256", mode: fs.ModeDir | 0o755},
		text("oci-layout", `{"imageLayoutVersion":"1.0.0"}`), file{name: "index.json", mode: 0o644, data: index})
	var b bytes.Buffer
	if err := writeTar(&b, content, r.date); err != nil {
		return err
	}
	return r.put("tend_"+r.version+"_oci.tar", b.Bytes())
}

func (r *release) platformImage(content *blobs, b build, licences string) (descriptor, error) {
	binary, err := os.ReadFile(b.path)
	if err != nil {
		return descriptor{}, err
	}
	files := []file{
		{name: "usr/bin/tend", mode: 0o755, data: binary},
		text("etc/passwd", "root:x:0:0:root:/root:/sbin/nologin\ntend:x:65532:65532:tend:/var/lib/tend:/sbin/nologin\n"),
		text("etc/group", "root:x:0:\ntend:x:65532:\n"),
		text("usr/share/doc/tend/THIRD-PARTY-LICENSES.txt", licences),
		{name: "tmp", mode: fs.ModeDir | 0o777},
		{name: "etc/tend", mode: fs.ModeDir | 0o755},
		{name: "var/lib/tend", mode: fs.ModeDir | 0o700, uid: nobody},
	}
	for _, dir := range []string{"usr", "usr/bin", "usr/share", "usr/share/doc", "usr/share/doc/tend", "etc", "var", "var/lib"} {
		files = append(files, file{name: dir, mode: fs.ModeDir | 0o755})
	}
	var layer bytes.Buffer
	if err := writeTar(&layer, files, r.date); err != nil {
		return descriptor{}, err
	}
	packed, err := compress(layer.Bytes())
	if err != nil {
		return descriptor{}, err
	}
	platform := map[string]string{"os": "linux", "architecture": b.arch}
	if b.arch == "armv7" {
		platform["architecture"], platform["variant"] = "arm", "v7"
	}
	plain := sha256.Sum256(layer.Bytes())
	config := map[string]any{
		"created": r.date.Format(time.RFC3339),
		"config": map[string]any{
			"User": "65532:65532", "Entrypoint": []string{"/usr/bin/tend"}, "WorkingDir": "/var/lib/tend",
			"Cmd": []string{"up", "--store", "/var/lib/tend/store", "--cache", "/var/lib/tend/cache"},
			"Env": []string{"PATH=/usr/bin", "HOME=/var/lib/tend", "TEND_CONFIG=/etc/tend/tend.yaml"},
			"Labels": map[string]string{"org.opencontainers.image.version": r.version, "org.opencontainers.image.revision": r.commit,
				"org.opencontainers.image.licenses": "Apache-2.0"},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(plain[:])}},
		"history": []map[string]any{{"created": r.date.Format(time.RFC3339), "created_by": path.Join("tools", "release")}},
	}
	for k, v := range platform {
		config[k] = v
	}
	c, err := content.addJSON("config.v1+json", config)
	if err != nil {
		return descriptor{}, err
	}
	d, err := content.addJSON("manifest.v1+json", map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": c, "layers": []descriptor{content.add("layer.v1.tar+gzip", packed)},
	})
	d.Platform = platform
	return d, err
}
