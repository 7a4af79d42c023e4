import { rateWith } from '../reading/severity.ts'

export const rate = rateWith({ 1: 'critical', 2: 'high', 3: 'medium', 4: 'low', 5: 'info' })
