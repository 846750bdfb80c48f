"""Tend for Hermes: gives a session its memory at its start, and saves the session as its context fills."""

import json
import logging
import os
import subprocess

TEND = @tend@
CONTEXT = @context@
CHECKPOINT = @checkpoint@

logger = logging.getLogger(__name__)


def _run(args, event, session_id, extra):
    given = {"hook_event_name": event, "session_id": session_id, "cwd": os.getcwd(), "extra": extra}
    try:
        done = subprocess.run(
            [TEND, *args], input=json.dumps(given, default=str), capture_output=True, text=True, encoding="utf-8", timeout=@timeout@
        )
    except FileNotFoundError:
        logger.warning("the program %s was not found; the README says how to install it", TEND)
        return {}
    except (OSError, subprocess.SubprocessError) as err:
        logger.warning("%s: %s", event, err)
        return {}
    if done.stderr.strip():
        logger.info("%s", done.stderr.strip())
    try:
        answer = json.loads(done.stdout or "{}")
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def start(session_id="", is_first_turn=False, **kwargs):
    """Give the model its memory with the first turn."""
    if not is_first_turn:
        return None
    return _run(CONTEXT, "pre_llm_call", session_id, {"is_first_turn": True}) or None


def save(session_id="", conversation_history=None, model="", **kwargs):
    """Save what was said, as full as the context is."""
    _run(CHECKPOINT, "post_llm_call", session_id, {"conversation_history": conversation_history or [], "model": model})


def register(ctx):
    ctx.register_hook("pre_llm_call", start)
    ctx.register_hook("post_llm_call", save)
