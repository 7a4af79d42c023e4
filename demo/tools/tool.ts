/** Outside tools of the demo: doubles on this machine, labelled as such. */
export interface DemoTool {
  /** Where people look at them, by name. */
  urls: Record<string, string>
  stop(): Promise<void>
}
