export type { Answerable } from './store.ts'
