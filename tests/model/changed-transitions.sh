#!/bin/sh
# A transition of the runtime that is changed is found by the explorer.
# time: 600
sh $TOP/tests/model/explorer/build $PWD/o || exit 1
rm -f missed.txt
while IFS=@ read -r file from to; do
    [ "$file" ] || continue
    rm -rf other && mkdir -p other/runtime other/sync
    for own in runtime/$file.c sync/$file.c runtime/$file.h; do
        [ ! -f $TOP/src/$own ] || break
    done
    F=$from T=$to perl -0pe 's/\Q$ENV{F}\E/$ENV{T}/' $TOP/src/$own >other/$own
    if cmp -s other/$own $TOP/src/$own; then
        echo "$file: not there: $from" >>missed.txt
        continue
    fi
    cp -r o changed && sh $TOP/tests/model/explorer/build $PWD/changed other || exit 1
    if timeout 60 changed/explore 20000 >out.txt 2>&1; then
        echo "$file: not found: $from -> $to" >>missed.txt
    fi
    rm -rf changed
done <<'CHANGES'
cancel@(s & (SYNC_CLAIMED | SYNC_DONE | unless))@(s & unless)
cancel@return (fm__clear(&t->sync, SYNC_ARMED | SYNC_CLAIMED) & SYNC_DONE) != 0;@return false;
cancel@return (fm__clear(&t->sync, SYNC_ARMED | SYNC_CLAIMED) & SYNC_DONE) != 0;@return fm__clear(&t->sync, SYNC_ARMED | SYNC_CLAIMED), true;
cancel@return !(s & SYNC_ARMING) && fm__wait_claimed(t);@return fm__wait_claimed(t);
cancel@SYNC_CANCEL) & (SYNC_ARMED | SYNC_ARMING))@SYNC_CANCEL) & SYNC_ARMED)
cancel@if (!awaited || fm__task_unlisten(awaited, &t->job))@if (!awaited || (fm__task_unlisten(awaited, &t->job), 1))
dispatch@if (s & (SYNC_CLAIMED | SYNC_ARMING)) {@if (s & SYNC_CLAIMED) {
dispatch@if (s & (SYNC_CLAIMED | SYNC_ARMING)) {@if (s & SYNC_ARMING) {
dispatch@fm__cas8(&t->sync, &s, s & ~(SYNC_ARMED | SYNC_SHIELD))@(fm__store(&t->sync, (uint8_t)(s & ~(SYNC_ARMED | SYNC_SHIELD))), 1)
dispatch@return given_up ? fault_tag(fm__cancel_fault()) : NULL;@return NULL;
dispatch@if (wait_place(wait))@if (0)
dispatch@struct fm_abi_fault *f = given_up ? NULL : park->fault;@struct fm_abi_fault *f = park->fault; given_up = false;
cancel@if (!place) {@if (1) {
task@if (old & WORD_STATE)@if (0)
task@if (!fm__wait_end(w))@if (fm__wait_end(w), 0)
task@found = false@found = true
task@if (fm__cas(&t->word, &old, (uintptr_t)node))@if (fm__store(&t->word, (uintptr_t)node), 1)
task@} while (!fm__cas(&t->word, &old, state));@} while (fm__store(&t->word, state), 0);
task@if ((fm__sub(&t->refs, 1) & ~REFS_SOURCE) != 1)@if ((fm__sub(&t->refs, 1) & ~REFS_SOURCE) > 2)
source@return !(fm__or(&s->set, 1) & 1);@return !(fm__load(&s->set) & 1) && (fm__store(&s->set, 1), 1);
source@fm__add(&s->refs, 1);@;
arm@if ((s & SYNC_DONE) || @if (
arm@((now & SYNC_CLAIMED) && fm__wait_claimed(t))@0
arm@unsigned bits = SYNC_ARMING @unsigned bits = SYNC_ARMED 
arm@while (!fm__cas8(&t->sync, &s, now))@while (fm__store(&t->sync, (uint8_t)now), 0)
token@if (fm__wait_claim(w->task, 0))@if (1)
token@fm__store_release(&tok->fired, true);@;
token@if (!token_catch(child))@if (fm__add(&child->refs, 1), 0)
token@never = listed || atomic_compare_exchange_strong(&r->off, &on, 1)@never = true
combine@return atomic_compare_exchange_strong(&g->winner, &nobody, who);@return (fm__load(&g->winner) == nobody) && (fm__store(&g->winner, who), 1);
combine@fm__store(&g->left, (uint32_t)n + 1);@fm__store(&g->left, (uint32_t)n);
combine@return off && fm__sub(&g->left, off) == off;@return true;
line@bool queued = w->queued;@bool queued = true;
line@bool now = !line->first && w->take(line, w->n);@bool now = false;
line@fm_resume_later(w->park.waiter);@;
mutex@struct fm__wait *granted = fm__line_grant(&m->line);@struct fm__wait *granted = NULL;
mutex@m->line.state = 0;@;
channel@bool queued = w->offer.queued;@bool queued = true;
channel@if (tried == TRIED_NOTHING)@if (1)
channel@fm__offer_remove(c, w->sends, &w->offer);@;
channel@value_copy(to, taken->value, c->bytes);@;
channel@*woken = taken->waiter;@;
channel@if (!o->party || fm__party_decide(o->party, o->index + 1))@if (1)
select@return fm__party_decide(&s->party, PARTY_LEFT);@return fm__party_decide(&s->party, PARTY_LEFT), true;
group@if (!--g->running) {@if (!--g->running && 0) {
group@bool armed = g->closer != NULL;@bool armed = true;
group@if (!fm__task_listen(task_of(t), &p->job))@if (fm__task_listen(task_of(t), &p->job), 0)
group@part_unlink(p);@;
pool@if (!pool_has_work() && !atomic_load(&fm__pool.stop))@if (!atomic_load(&fm__pool.stop))
pool@if (atomic_load(&fm__pool.searching) == 0 &&@if (0 &&
pool@if (unlikely(w->searching) && search_end(w) && pool_has_work())@if (unlikely(w->searching) && (search_end(w), 0))
pool@w->searching |= w->woken;@;
pool@fm_abi_reactor_wake(w->reactor);@;
pool@atomic_fetch_sub(&fm__pool.count, took);@;
pool@return atomic_exchange_explicit(&w->slot, NULL, memory_order_acq_rel);@fm_job *was = fm__load(&w->slot); return fm__store(&w->slot, NULL), was;
deque@atomic_store(&d->bottom, b + 1);@;
deque@if (atomic_compare_exchange_strong_explicit(@if (fm__store(&d->top, t + 1), 1 || atomic_compare_exchange_strong_explicit(
CHANGES
[ ! -f missed.txt ] || { cat missed.txt >&2; exit 1; }
