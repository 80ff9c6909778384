"""Replicas: stores that exchange records until all hold the same memories. Pure, so page and sidecar run the same code.

A **record** is a source, commit, chat, delivery or purge with an origin `(replica, sequence)`: a store numbers what it writes itself, what
came from another keeps its origin. A **vector** says for each origin up to which sequence all is there, with the **chain**, a hash over
those records, so that two histories under one replica id (a copied or restored folder) are noticed. What is on screen is not exchanged.

Records are objects whose `body` is text; pass them on as they are, as JSON, and never read a number out of them.

    sync.vector {peer?}                           -> {replica, peer, vector, chains}
    sync.pull   {what sync.vector said, limit_bytes?} -> {replica, vector, chains, records, before, more, trails}
    sync.push   {what sync.pull said}             -> {replica, vector, chains, new, wanted, refused, forked}
    sync.mirror {check?, adopt?}                  -> {revision, read_bytes, written_bytes, size_bytes, new, removed, missing, damaged,
                                                      behind, held}
    sync.status {}                                -> {replica, records, replicas: [...], purges: [...]}
    node.purge  {chat, node, dry?}                -> {purge, node, text, messages, commits, going, receipts}
    chat.purge  {chat}                            -> {chat, messages, sources, commits, shared, purge, receipts}

One direction, from B to A; the other one is the same with the names changed:

    while True:
        ask = await a.call("sync.vector", {"peer": b_replica})     # "" as long as it is not known
        found = await b.call("sync.pull", ask)                      # the answer of the one is the question of the other
        done = await a.call("sync.push", found)
        if not found["more"]:
            break

Each call stands alone: lost, doubled and late ones do no harm, and a round that was cut off goes on where it was. A round with nothing new
is one `sync.vector` and one `sync.pull`. `limit_bytes` bounds the bodies of one answer (default 1 MB, one record at least). A gap is never
stored: `wanted` names the origins and the sequence that has to come next. `refused` records stay at their origin and come again.

The mirror needs the port `files` of `Service` (see `tidelore.engine.ports.Files`): `list`, `read`, `write`, `remove` on one flat folder.
`sync.mirror` does one round: it reads what others wrote, then writes what the folder lacks. The host decides when: after writes, debounced;
on page hide; when a file of another replica has changed. File names: `tidelore-index.json`, `tidelore-REPLICA-manifest.json`,
`tidelore-REPLICA-NUMBER.gz` (sealed, never changes), `tidelore-REPLICA-tail0.gz` and `-tail1.gz` (written in turn). Everything but the
index belongs to the replica in its name. Names that begin otherwise are not touched. A host that cannot list answers None: then the index
names the replicas, and what this replica wrote is remembered.

Whoever restores a store from a backup calls `Store.rename` with a new random id; where nobody did, the first exchange finds out.

Modules: `chain` the hash, `wire` records as JSON, `exchange` pull and push, `absorb` taking records in, `peers` how far others are,
`burial` the marks of a purge, `carry` carrying one out, `remains` what is left of an import then, `forgetting` what a memory takes along,
`segments` the files' formats, `mirror` a round on them with `mirror_read` and `mirror_write`. Methods are in `operations/syncing.py` and
`operations/purging.py`.
"""
