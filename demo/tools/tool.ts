/** Outside tools of the demo: doubles on this machine, labelled as such. */
export interface DemoTool {
  /** Where people look at them, by name. */
  urls: Record<string, string>
  stop(): Promise<void>
}

/** Begins background work as a step of the start; if it still fails, these words are printed. */
export type Later = (name: string, work: () => Promise<void>, otherwise: string) => Promise<void>
