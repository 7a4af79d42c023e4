/** A refusal is for good; what may pass is thrown, and tried again. */
export type Confirmation = { confirmed: true } | { confirmed: false; reason: string }

/** The few addresses outside that are visited because somebody sent something. */
export interface Web {
  /** Confirms a subscription by visiting its confirmation address. Doing it twice is harmless. */
  confirm(url: URL): Promise<Confirmation>
}
