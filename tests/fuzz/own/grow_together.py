"""Grows what takes several tasks, or another thread: channels, groups,
meetings, calls that block. All of it comes out the same in whatever order the
tasks run: see spell_together.py."""
from tree import Node

WHERE = (0, 1, 2, 4, 4, 3, 3)   # a seat, the pool, where it was started


class Together:
    def child(self, place, wanted=lambda f: True, cancels=True):
        """A call that runs as a task, or None."""
        call = self.call_of(
            place, lambda f: wanted(f) and not any(
                p[1] == "pointer" for p in f.params), 1, bare=True,
            form="start")
        if not call:
            return None
        return Node("child", call=call, name=self.fresh("c"),
                    where=self.pick(*WHERE),
                    cancel_at=self.roll(4) if cancels and self.often(.3)
                    else 0)

    def together(self, place):
        return self.pick(self.fed, self.drained, self.group, self.group,
                         self.meeting, self.mill)(place) or Node("point")

    # ---- channels --------------------------------------------------------

    def fed(self, place):
        """A child calls and sends, this task receives."""
        child = self.child(place, lambda f: f.result is not None)
        if not child:
            return None
        child.call.function.wrappers.add("feed")
        body = []
        if place.depth > 0 and self.often(.5):
            body = self.block(place.inside(loop=None, breaks=None,
                                           fires=False), 2)
        return Node("fed", child=child, count=self.roll(5),
                    capacity=self.roll(4), body=body, how=self.pick(
                        "receive", "receive", "select", "timed", "try",
                        "either", "within"))

    def drained(self, place):
        """This task sends, a child receives and then calls."""
        child = self.child(place)
        if not child:
            return None
        t = self.rnd.choice(self.types) if self.often(.7) else None
        child.call.function.wrappers.add(("drain", t))
        values = [self.typed(place, t, 1) if t else self.unsigned(place, 1)
                  for _ in range(self.roll(5))]
        return Node("drained", child=child, type=t, values=values,
                    capacity=self.roll(4),
                    how=self.pick("send", "send", "select", "try", "within"))

    def mill(self, place):
        """Several children call and send, several receive: a sum."""
        t = self.rnd.choice([f.result for f in self.visible
                             if f.result is not None] or [None])
        children = []
        for _ in range(self.pick(1, 2, 2, 3)):
            child = self.child(place, lambda f: f.result is not None and
                               f.result is t)
            if not child:
                break
            child.temper = "pour"
            child.call.function.wrappers.add("pour")
            children.append(child)
        return children and Node(
            "mill", name=self.fresh("m"), children=children, type=t,
            count=1 + self.roll(3), capacity=self.roll(4),
            eaters=1 + self.roll(3))

    # ---- groups ------------------------------------------------------------

    def group(self, place):
        """Tasks that end together; at most one of them may fault."""
        ends = self.pick("close", "close", "close", "leave", "cancel")
        children = []
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            child = self.child(place)
            if not child:
                break
            loud = any(c.temper == "loud" for c in children)
            child.temper = "quiet" if loud or self.often(.6) else "loud"
            child.call.function.wrappers.add(child.temper)
            children.append(child)
        between = []
        if place.depth > 0 and self.often(.6):
            between = self.block(place.inside(loop=place.loop, fires=False),
                                 2)
        return Node("group", name=self.fresh("g"), children=children,
                    between=between, ends=ends,
                    lingers=ends != "close" and self.often(.5))

    def meeting(self, place):
        """Tasks with one total, which each changes when it is its turn."""
        children = []
        lock = self.often(.4)
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            child = self.child(place)
            if not child:
                break
            child.temper = "lock" if lock else "meet"
            child.call.function.wrappers.add(child.temper)
            children.append(child)
        between = []
        if place.depth > 0 and self.often(.3):
            between = self.block(place.inside(loop=place.loop, fires=False),
                                 2)
        return Node("meeting", name=self.fresh("m"), children=children,
                    between=between, meet=self.pick(
                        "MEET_AT_ONCE", "MEET_EVENT", "MEET_BARRIER"),
                    turn=self.pick("TURN_LOCK", "TURN_TRY", "TURN_COUNT",
                                   "TURN_WEIGHT"))

    # ---- calls that block ----------------------------------------------------

    def blocked(self, place):
        """A statement."""
        which = self.roll(3)
        if which == 0:
            return Node("errno_blocked", code=1 + self.roll(100))
        if which == 1:
            return Node("bump_blocked", of=self.address(place))
        return Node("note", of=self.blocked_value(place, 1))

    def blocked_value(self, place, depth):
        t = self.rnd.choice(self.types)
        return Node("hash_blocked", type=t, of=self.typed(place, t, depth))
