import type { App } from '../../server/app/app.ts'

/** An outside tool of the demo: a double on this machine, labelled as one. */
export interface DemoTool {
  /** Where people look at it; undefined: there is nothing to see. */
  url?: string
  stop(): Promise<void>
}

/** What a tool is started with. */
export interface DemoToolOptions {
  /** Of the demo: a tool keeps there what must outlive a restart. */
  dataDir: string
}

export type StartTool = (app: App, options: DemoToolOptions) => Promise<DemoTool>
