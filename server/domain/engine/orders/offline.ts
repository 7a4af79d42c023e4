/** A runner that is silent for this long is shown as offline and gets no work. */
export const offlineAfterSeconds = 45
