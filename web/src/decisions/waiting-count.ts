import { useRead } from '../api/queries.ts'

/** How many decisions wait for a person. */
export const useWaitingCount = (): number => useRead('decisions.count', {}).data?.pending ?? 0
