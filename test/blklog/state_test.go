//go:build linux

package blklog

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func emptyImage(blocks int) *image {
	im, err := readImage(bytes.NewReader(make([]byte, blocks*blockSize)), int64(blocks*blockSize))
	if err != nil {
		panic(err)
	}
	return im
}

func (im *image) bytes() []byte {
	var all []byte
	for _, b := range im.blocks {
		all = append(all, b.data[:]...)
	}
	return all
}

func filled(value byte, blocks int) []byte { return bytes.Repeat([]byte{value}, blocks*blockSize) }

func writeAt(block int, value byte) event {
	return event{Kind: writeEvent, Off: int64(block) * blockSize, Data: filled(value, 1)}
}

// firstBytes shows an image by the first byte of each block.
func firstBytes(im *image) []byte {
	var first []byte
	for _, b := range im.blocks {
		first = append(first, b.data[0])
	}
	return first
}

func TestReplayPrefixes(t *testing.T) {
	type seen struct {
		Blocks []byte
		Acked  []string
	}
	events := []event{
		writeAt(0, 9), {Kind: beginEvent},
		writeAt(1, 1), {Kind: flushEvent}, {Kind: ackEvent, Label: "a"},
		writeAt(2, 2), writeAt(1, 3), {Kind: ackEvent, Label: "b"},
	}
	var got []seen
	r := newReplay(emptyImage(3), events, 1)
	for {
		look, done := r.step()
		if done {
			break
		}
		if look {
			im, _ := r.crash(0)
			got = append(got, seen{firstBytes(im), slices.Clone(r.labels)})
		}
	}
	want := []seen{
		{[]byte{9, 1, 0}, nil},
		{[]byte{9, 1, 0}, []string{"a"}},
		{[]byte{9, 1, 2}, []string{"a"}},
		{[]byte{9, 3, 2}, []string{"a"}},
		{[]byte{9, 3, 2}, []string{"a", "b"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

func TestReplayChoices(t *testing.T) {
	events := []event{{Kind: beginEvent}, writeAt(1, 1), {Kind: flushEvent}, writeAt(2, 2), writeAt(3, 3), writeAt(4, 4)}
	r := newReplay(emptyImage(5), events, 7)
	for {
		if _, done := r.step(); done {
			break
		}
	}
	kinds := map[string]bool{}
	for choice := 1; choice <= 200; choice++ {
		im, state := r.crash(choice)
		if again, _ := r.crash(choice); again.sum != im.sum {
			t.Fatalf("choice %d: got another image the second time", choice)
		}
		torn := 0
		for i, b := range im.blocks {
			for at := 0; at < blockSize; at += sectorSize {
				sector := b.data[at : at+sectorSize]
				if !bytes.Equal(sector, filled(0, 1)[:sectorSize]) && !bytes.Equal(sector, filled(byte(i), 1)[:sectorSize]) {
					t.Fatalf("choice %d: block %d has a sector that is neither old nor new", choice, i)
				}
				if sector[0] != b.data[0] {
					torn = 1
				}
			}
		}
		if torn > state.Torn {
			t.Errorf("choice %d: got a torn block, state says %d", choice, state.Torn)
		}
		if !bytes.Equal(im.blocks[1].data[:], filled(1, 1)) {
			t.Errorf("choice %d: lost a flushed write", choice)
		}
		kinds[string(firstBytes(im)[2:])] = true
	}
	if got, want := len(kinds), 8; got != want {
		t.Errorf("got %d subsets of 3 writes, want %d", got, want)
	}
}

func TestTornSparesSuperblock(t *testing.T) {
	events := []event{{Kind: beginEvent}, writeAt(0, 1)}
	r := newReplay(emptyImage(1), events, 7)
	r.step()
	for choice := range 100 {
		im, state := r.crash(choice)
		if whole := im.bytes(); state.Torn != 0 || !bytes.Equal(whole, filled(whole[0], 1)) {
			t.Fatalf("choice %d: the superblock is torn", choice)
		}
	}
}

func TestPlan(t *testing.T) {
	events := []event{
		{Kind: beginEvent},
		writeAt(1, 1), writeAt(1, 1), {Kind: flushEvent}, {Kind: ackEvent},
		writeAt(2, 2), writeAt(3, 3),
	}
	for _, tc := range []struct {
		name string
		cfg  Config
		want plan
	}{
		{"prefixes", Config{Subsets: -1, MaxStates: 9}, plan{
			points:     []crashPoint{{2, 0}, {5, 0}, {6, 0}, {7, 0}},
			duplicates: 1,
		}},
		{"too many", Config{Subsets: -1, MaxStates: 1}, plan{
			points:     []crashPoint{{7, 0}},
			duplicates: 1,
			dropped:    3,
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := makePlan(emptyImage(4), events, tc.cfg)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(plan{}, crashPoint{})); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
	some := makePlan(emptyImage(4), events, Config{Subsets: 20, MaxStates: 100})
	if len(some.points) < 8 {
		t.Errorf("got %d states with subsets, want more", len(some.points))
	}
}

func TestImage(t *testing.T) {
	old := emptyImage(3)
	im := old.clone()
	im.write(blockSize-100, filled(5, 1))
	want := make([]byte, 3*blockSize)
	copy(want[blockSize-100:], filled(5, 1))
	if !bytes.Equal(im.bytes(), want) {
		t.Error("write across blocks: got other bytes")
	}
	if !bytes.Equal(old.bytes(), make([]byte, 3*blockSize)) {
		t.Error("write to a clone changed the original")
	}
	same := &image{blocks: make([]*block, 3), seed: old.seed}
	for i := range same.blocks {
		b := &block{data: [blockSize]byte(want[i*blockSize:])}
		same.seal(i, b)
		same.blocks[i], same.sum = b, same.sum+b.sum
	}
	if im.sum != same.sum || im.sum == old.sum {
		t.Errorf("sum: got %x, want %x and not %x", im.sum, same.sum, old.sum)
	}
	file, err := newMemFile("copy", im.size())
	must(t, err)
	defer file.Close()
	must(t, im.writeTo(file))
	if got, err := io.ReadAll(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("write to file: got other bytes, error %v", err)
	}
}

func TestParseMounts(t *testing.T) {
	info := "22 1 0:20 / /run rw - tmpfs tmpfs rw\n" +
		"30 22 7:0 / /run/blk\\040log/mnt rw shared:1 - ext4 /dev/loop0 rw\n" +
		"31 22 0:50 / /run/blk\\040log/fuse rw - fuse.blklog blklog rw\n" +
		"32 22 0:51 / /run/blk\\040logger rw - tmpfs x rw\n"
	got := parseMounts(info, "/run/blk log")
	want := []mountPoint{{"/run/blk log/fuse", "fuse.blklog"}, {"/run/blk log/mnt", "ext4"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(mountPoint{})); diff != "" {
		t.Errorf("mounts (-want +got):\n%s", diff)
	}
}
