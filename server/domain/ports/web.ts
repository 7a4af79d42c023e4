/** A refusal is for good; what may pass is thrown, and tried again. */
export type Confirmation = { confirmed: true } | { confirmed: false; reason: string }

/** The few external addresses that are visited because of something we received. */
export interface Web {
  /** Confirms a subscription by visiting its confirmation address. Doing it twice is harmless. */
  confirm(url: URL): Promise<Confirmation>
}
