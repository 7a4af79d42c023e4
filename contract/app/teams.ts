import type { Operations } from './operation.ts'

export const reads = {} satisfies Operations

export const writes = {} satisfies Operations
