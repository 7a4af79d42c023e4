import { useRead } from '../api/queries.ts'

/** How many incidents are open. */
export const useOpenCount = (): number => useRead('incidents.count', {}).data?.open ?? 0
