import type { ChangeReader } from './change-reader.ts'
import type { Chat } from './chat.ts'
import type { Connectors } from './connector.ts'
import type { GitHost } from './git-host.ts'
import type { History } from './history.ts'
import type { Mailer } from './mailer.ts'
import type { Pagers } from './pager.ts'
import type { Push } from './push.ts'
import type { SingleTracker } from './single-tracker.ts'
import type { Splitter } from './splitter.ts'
import type { Trackers } from './tracker.ts'
import type { Web } from './web.ts'
import type { WorkPort } from './work.ts'

/** How the engine reaches out. Null: none is connected, and features that need it say so instead of trying. */
export interface Ports {
  connectors: Connectors
  work: WorkPort
  gitHost: GitHost | null
  changes: ChangeReader
  history: History
  /** For teams that are bound to no project. */
  tracker: SingleTracker | null
  trackers: Trackers
  splitter: Splitter
  chat: Chat | null
  mailer: Mailer | null
  push: Push
  pagers: Pagers
  web: Web
}
