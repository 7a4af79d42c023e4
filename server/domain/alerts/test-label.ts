import type { Alert } from '@signalbox/contract/signal.ts'

/** Marks an alert that only tries the way it takes. Whoever sends it may set it: it opens nothing. */
export const testLabel = 'signalbox_test'

export const isTestAlert = ({ labels }: Pick<Alert, 'labels'>): boolean => Object.hasOwn(labels, testLabel)
