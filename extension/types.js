// Shapes that several modules share. Types only: nothing here runs.

/**
 * @typedef {object} ChatPlace where the open chat lies in SillyTavern
 * @property {"character" | "group"} kind
 * @property {string} owner the card's file name ("Mira.png") or the group's id; both survive a rename of the chat
 * @property {string} file the chat's file name without ending
 * @property {string} title what people call it
 * @property {string} integrity SillyTavern's own mark of a chat file, new in each branch; "" where it has none
 *
 * @typedef {object} HostMessage a message of the open chat, in order
 * @property {number} index its place in SillyTavern's list ("floor")
 * @property {string} role user, assistant, or system for notes and tool results, which are no part of the chat
 * @property {string} text
 * @property {string} name
 * @property {boolean} hidden
 * @property {string} date ISO 8601 with the local offset, or ""
 * @property {boolean} unsettled it is being generated: streaming, or a swipe that is still open
 *
 * @typedef {object} Person somebody whose name may change while who they are does not
 * @property {string} id a card's file name, or "persona:" and the persona's file name
 * @property {string} name
 *
 * @typedef {object} ChatMark what we keep in the chat's own metadata, under `tidelore`
 * @property {string} chat the engine's name of the chat
 * @property {string} pool 32 hexadecimal digits; it travels with the chat and its copies
 * @property {"character" | "group"} kind whose chat it was when the mark was made: a copy may be another's
 * @property {string} owner
 * @property {string} file the file in which the mark was made: a copy has another
 * @property {string} integrity
 * @property {boolean} [off] memory is switched off for this chat
 *
 * @typedef {"before_main" | "after_main" | "in_chat"} Position
 * @typedef {"system" | "user" | "assistant"} Role
 *
 * @typedef {object} Placement where a block goes in the prompt
 * @property {Position} position
 * @property {number} depth messages from the end; only for in_chat
 * @property {Role} role
 *
 * @typedef {object} Completion one request to a memory model
 * @property {{role: string, content: string}[]} messages
 * @property {object} schema JSON Schema of the answer
 * @property {number} tokens most of the answer
 * @property {boolean} stream
 * @property {AbortSignal} signal
 * @property {(characters: number) => void} [onPiece] how much of a streamed answer is there
 *
 * @typedef {object} Endpoint an OpenAI-compatible service
 * @property {string} url
 * @property {string} name of the model
 * @property {string} key "" for none
 *
 * @typedef {object} CommandSpec a slash command
 * @property {string} name
 * @property {string[]} [aliases]
 * @property {string} help
 * @property {string} [value] what the unnamed argument is; without it there is none
 * @property {{name: string, help: string, required?: boolean}[]} [named]
 * @property {(named: Record<string, string>, value: string) => Promise<{answer: string, show?: () => void}>} run `show`: for a person who typed it, when
 *   nothing takes up the answer
 *
 * @typedef {object} Settings what the person chose; defaults in settings.js. Holds no keys and no text of a chat.
 * @property {boolean} enabled
 * @property {string} preset of recall
 * @property {number} budget tokens for both blocks
 * @property {number} recallMs a reply waits no longer for memory
 * @property {Placement} core
 * @property {Placement} recalled
 * @property {{use: "none" | "current" | "profile" | "endpoint" | "sidecar", profile: string, url: string, name: string, stream: boolean, answerTokens: number, seconds: number, exchanges: number, agreed: boolean, asked: boolean}} model
 * @property {{use: "auto" | "sidecar" | "endpoint" | "page" | "none", url: string, name: string, mirror: string}} embedder `mirror`: a folder with the files of the
 *   page's own, "" for the usual places
 * @property {{use: boolean, url: string}} sidecar
 * @property {boolean} mirror memories are kept among SillyTavern's files too
 * @property {{name: string, url: string}[]} cdns empty: the usual ones
 * @property {number} lag newest exchanges that extraction leaves alone
 *
 * @typedef {object} JobView a job as the panel shows it
 * @property {number} id
 * @property {string} chat
 * @property {string} title of the chat
 * @property {"rules" | "model" | "range" | "embed" | "schema"} kind
 * @property {"waiting" | "running" | "paused" | "done" | "failed" | "stopped"} state
 * @property {number} done
 * @property {number} total 0 while unknown
 * @property {string} error what went wrong, for people
 * @property {string} hint
 * @property {{first: number, last: number, error: string, raw: string}[]} failures windows that failed, with the model's raw answer
 * @property {Record<string, any> | null} result of the service
 *
 * @typedef {"core" | "recalled"} Block
 *
 * @typedef {object} RecallRecord on the user's message, in `extra.tidelore_recall`
 * @property {1} version
 * @property {string} chat the engine's name of the chat
 * @property {string} recall id
 * @property {string} text the user's words that it was made for
 * @property {string} core
 * @property {string} recalled
 * @property {string[]} nodes
 * @property {string} state digest of what the nodes read then
 * @property {{node: string, kind: string, text: string, tokens: number, score: number}[]} cards
 * @property {number} tokens of both blocks, as SillyTavern counted them
 * @property {string} at ISO 8601
 * @property {number} uses how many requests it was in
 * @property {boolean} edited by hand
 * @property {Block[]} [hand] which of its two texts; without it, both
 * @property {string[]} degraded
 *
 * @typedef {object} Receipt what became of words in one place
 * @property {string} place
 * @property {"done" | "waiting" | "outside"} state
 * @property {number} count
 * @property {string[]} replicas that are waited for
 *
 * @typedef {object} PurgedNode what goes, or has gone, with a memory
 * @property {string} purge "" for a preview
 * @property {string} node
 * @property {string} text
 * @property {number[]} messages indices of the engine
 * @property {number} commits
 * @property {{node: string, kind: string, text: string}[]} going
 * @property {Receipt[]} receipts
 *
 * @typedef {object} Status what goes on, for settings, panel and commands
 * @property {"off" | "starting" | "ready" | "failed"} engine
 * @property {{code: string, message: string, hint: string} | null} problem why the engine or the store is not as it should be
 * @property {any} info of the engine's start
 * @property {{source: string, file: string, outcome: string, detail: string}[]} sources each place that was tried for the runtime
 * @property {"" | "indexeddb" | "memory"} store
 * @property {{chat: string, pool: string, title: string, off: boolean} | null} chat the open one, once it is known to the engine
 * @property {any} stats of the open chat, as the service gives them
 * @property {boolean} otherTab another window writes to this chat
 * @property {boolean} evicted the open chat was remembered before, but not by what this browser has
 * @property {import("./exchange.js").Outcome} replicas what the last exchange with the mirror and the sidecar came to
 * @property {string} model what extracts: "" for rules alone
 * @property {string} embedder "" for none
 * @property {"off" | "looking" | "pairing" | "connected" | "unreachable" | "refused"} sidecar
 * @property {string} sidecarProblem why it is not connected and what to do, for people
 * @property {{outcome: "injected" | "reused" | "empty" | "late" | "failed" | "too_small", ms: number, tokens: number, cards: number, error: string, at: string, reason?: "whole_chat"} | null} lastRecall `reason`: nothing was recalled since all of the chat is in the prompt
 */

/**
 * @typedef {object} Engine
 * @property {Promise<any>} ready
 * @property {(method: string, params?: object, options?: object) => Promise<any>} call
 * @property {(ports: any) => void} setPorts
 * @property {() => void} close
 *
 * @typedef {object} Remotes models, embedders and the sidecar, as remotes.js makes them
 * @property {(onEvent: (event: any) => void, onChange: () => void) => Promise<void>} start
 * @property {(settings: Settings) => Promise<any>} ports for the engine
 * @property {() => string} modelName
 * @property {() => string} embedderName
 * @property {import("./local_embedder.js").LocalEmbedder} [local] the embedder of the page itself
 * @property {() => Status["sidecar"]} sidecarState
 * @property {() => any} sidecarProblem why it is not connected, or null
 * @property {() => string | undefined} runtimeUrl
 * @property {() => ((method: string, params?: object) => Promise<any>) | null} sidecarCall null: it is not connected
 * @property {(target: "model" | "embedder", settings: Settings) => Promise<{ok: boolean, detail: string, ms: number}>} test
 * @property {() => Promise<string>} pair
 * @property {() => void} stop
 */

/**
 * @typedef {object} App what a person can do, for settings drawer, slash commands, macros and panel alike. Every action rejects with an Error that has
 *   `message` and `hint` for people when it fails; `app.text.error(error)` makes one line of it.
 * @property {import("./host.js").Host} host
 * @property {import("./text.js").Text} text
 * @property {Settings} settings as they are now; changed only by `set`
 * @property {(change: Partial<Settings>) => Promise<void>} set merges, checks, saves, and takes effect at once
 * @property {() => Settings} defaults
 * @property {() => Status} status
 * @property {() => JobView[]} jobs newest first
 * @property {(listener: () => void) => () => void} onChange called after any change of settings, status or jobs, at most once a frame; the result unsubscribes
 * @property {(method: string, params?: object) => Promise<any>} call a method of the engine on the open chat: `chat` is filled in where it is missing
 * @property {(on: boolean) => Promise<void>} switchChat memory on or off for the open chat
 * @property {() => Promise<void>} sync
 * @property {(query: string) => Promise<any>} simulate a recall that changes nothing and is delivered nowhere
 * @property {() => Promise<RecallRecord | null>} recallAgain for the newest user message, in place of what its record holds; null when nothing is found
 * @property {(index: number) => RecallRecord | null} record of a user's message; also reads the older `bme_recall`
 * @property {(index: number, change: {core?: string, recalled?: string} | null) => Promise<void>} editRecord by hand; null deletes it
 * @property {(query: string) => string} lastInjected text of the two blocks of the last prompt: "core", "recalled" or "" for both
 * @property {() => Promise<{windows: number, tokens: number, model: string}>} estimate what extraction by model of what is due would cost
 * @property {(agreed: boolean) => Promise<void>} agree to the memory model, or not now; agreeing starts the extraction
 * @property {() => void} extract what is due, by the model when agreed, else by the rules
 * @property {(first: number, last: number, by?: "rules" | "model") => void} extractRange floors as SillyTavern shows them
 * @property {() => void} retry windows that were set aside
 * @property {(id: number) => void} stop a job
 * @property {() => void} pause all extraction by model
 * @property {() => void} resume
 * @property {() => boolean} paused
 * @property {import("./local_embedder.js").LocalEmbedder} [ownEmbedder] the embedder of the page itself, where there is one
 * @property {() => void} reembed the open chat, in the background
 * @property {() => Promise<string>} exchange a round with mirror and sidecar now; in words, what came of it
 * @property {() => Promise<{chat: string, title: string, owner: string, messages: number}[]>} orphans chats of the store whose file is gone in SillyTavern
 * @property {(chat: string) => Promise<Receipt[]>} purge a chat that is not open, for good
 * @property {(node: string) => Promise<PurgedNode>} purgeNode forgets a memory of the open chat for good, in the records of recalls too
 * @property {(() => Promise<(import("./moving.js").LeftGraph & {here: boolean})[]>) | null} left what another memory extension has left within reach;
 *   `here`: it was of the open chat. null: nothing can be within reach
 * @property {() => Promise<void>} restored after memories came in that may belong to any chat
 * @property {(target: "model" | "embedder") => Promise<{ok: boolean, detail: string, ms: number}>} test a connection for real
 * @property {() => Promise<string>} pair with the sidecar: answers the short code that the person confirms there; status().sidecar tells the rest
 * @property {(name: "model" | "embedder", key: string) => Promise<void>} setKey stored in this browser only, never in SillyTavern's settings
 * @property {(name: "model" | "embedder") => Promise<boolean>} hasKey
 * @property {(id: number) => void} again runs a job that failed or was stopped once more
 * @property {(index: number) => boolean} hasRecord whether a user's message has a record with a text
 * @property {(index: number) => number} floor SillyTavern's index of a message of the engine, -1 when it is not known
 * @property {{get: (name: string) => Promise<any>, set: (name: string, value: any) => Promise<void>}} kept what the panel keeps in this browser, as its place; no texts
 * @property {() => Promise<void>} restart the engine
 * @property {() => Promise<void>} leave asks what is to stay in this browser when the extension goes, and removes the rest
 */

export {};
