package door

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"tend/internal/job"
	"tend/internal/notice"
	"tend/internal/token"
)

func (d *door) healthz(w http.ResponseWriter, _ *http.Request) {
	if err := d.house.Health(); err != nil {
		refuse(w, http.StatusServiceUnavailable, "unhealthy", err.Error())
		return
	}
	answer(w, http.StatusOK, map[string]string{"status": "ok", "version": d.o.Version})
}

func (d *door) readyz(w http.ResponseWriter, _ *http.Request) {
	if !d.house.Ready() {
		refuse(w, http.StatusServiceUnavailable, "not-ready", "starting or stopping")
		return
	}
	answer(w, http.StatusOK, map[string]string{"status": "ready"})
}

// page serves the dashboard, which knows its visitors by a session of its own.
func (d *door) page(w http.ResponseWriter, r *http.Request) {
	if d.o.Pages == nil {
		absent(w)
		return
	}
	d.o.Pages.ServeHTTP(w, r)
}

// metrics name no agent, so on this machine they are open; elsewhere they are the
// operator's.
func (d *door) metrics(w http.ResponseWriter, r *http.Request) {
	if !d.o.Local {
		if t, ok := d.who(r); !ok || !t.Operator() {
			d.challenge(w, r)
			return
		}
	}
	d.o.Metrics.ServeHTTP(w, r)
}

func (d *door) status(w http.ResponseWriter, r *http.Request, t token.Token) {
	agents, ok := d.reach(t, r.URL.Query().Get("agent"))
	if !ok {
		absent(w)
		return
	}
	answer(w, http.StatusOK, map[string]any{"agents": d.house.Status(r.Context(), agents)})
}

func (d *door) findings(w http.ResponseWriter, r *http.Request, t token.Token) {
	agents, ok := d.reach(t, r.URL.Query().Get("agent"))
	if !ok {
		absent(w)
		return
	}
	answer(w, http.StatusOK, map[string]any{"findings": d.house.Findings(agents)})
}

// ack is a person's: an agent must not be able to hide what was found about it.
func (d *door) ack(w http.ResponseWriter, r *http.Request, t token.Token) {
	id := r.PathValue("id")
	all := d.house.Findings(nil)
	i := slices.IndexFunc(all, func(n notice.Notice) bool { return n.ID == id })
	if i < 0 {
		absent(w)
		return
	}
	agent := all[i].Agent
	agent = cmp.Or(agent, notice.House)
	done, err := d.house.Acknowledge(agent, []string{id}, notice.Ack{By: "token " + t.ID, At: time.Now()})
	if err != nil {
		refuse(w, http.StatusInternalServerError, "failed", err.Error())
		return
	}
	answer(w, http.StatusOK, map[string]any{"acknowledged": done})
}

// run does a job at once.
func (d *door) run(w http.ResponseWriter, r *http.Request, t token.Token) {
	agent, name := r.PathValue("agent"), r.PathValue("job")
	if _, ok := d.reach(t, agent); !ok {
		absent(w)
		return
	}
	if _, known := job.Named(name); !known {
		absent(w)
		return
	}
	res := d.house.RunJob(detached(r), agent, name)
	status := http.StatusOK
	switch res.Outcome {
	case job.Failed:
		status = http.StatusInternalServerError
	case job.Locked, job.Refused:
		status = http.StatusConflict
	}
	answer(w, status, res)
}

func (d *door) reload(w http.ResponseWriter, _ *http.Request, _ token.Token) {
	d.house.Reload()
	answer(w, http.StatusOK, map[string]any{"findings": d.house.Findings([]string{notice.House})})
}

// mcp serves the memory of the token's agent, or for the operator of the one in the
// path. What a tool's arguments say about agents has no part in it.
func (d *door) mcp(w http.ResponseWriter, r *http.Request, t token.Token) {
	agents, ok := d.reach(t, r.PathValue("agent"))
	if !ok || len(agents) != 1 {
		absent(w)
		return
	}
	h, err := d.house.Memory(agents[0], t.ReadOnly)
	if err != nil {
		d.o.Log.Error("serve memory", "agent", agents[0], "error", err.Error())
		refuse(w, http.StatusServiceUnavailable, "unavailable", "this agent's memory cannot be served now")
		return
	}
	h.ServeHTTP(w, r)
}
