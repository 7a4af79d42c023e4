import { rateWith } from '../reading/severity.ts'

export const rate = rateWith({
  ...{ sev0: 'critical', sev1: 'high', sev2: 'medium', sev3: 'low', sev4: 'info' },
  ...{ 'sev 0': 'critical', 'sev 1': 'high', 'sev 2': 'medium', 'sev 3': 'low', 'sev 4': 'info' },
  // Levels of the activity log.
  ...{ informational: 'info', verbose: 'info' },
  ...{ 0: 'critical', 1: 'high', 2: 'medium', 3: 'low', 4: 'info' },
})
