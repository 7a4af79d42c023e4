/** Not heard of for this long, a runner is shown as offline and gets no work. */
export const offlineAfterSeconds = 45
