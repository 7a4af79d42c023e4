import type { WorkScenario } from '../attempt.ts'
import { budgetScenarios } from './budget.ts'
import { cleanUpScenarios } from './clean-up.ts'
import { deniedScenarios } from './denied.ts'
import { fileScenarios } from './files.ts'
import { findingScenarios } from './findings.ts'
import { gateScenarios } from './gates.ts'
import { networkScenarios } from './network.ts'
import { otherScenarios } from './others.ts'
import { ownGitScenarios } from './own-git.ts'
import { printScenarios } from './prints.ts'
import { processScenarios } from './processes.ts'
import { refusedScenarios } from './refused.ts'
import { repositoryScenarios } from './repository.ts'
import { resultScenarios } from './results.ts'

/** What concerns agents, repositories, the diff guard, the box and money. */
export const workScenarios: WorkScenario[] = [
  ...[...repositoryScenarios, ...fileScenarios, ...networkScenarios, ...processScenarios],
  ...[...deniedScenarios, ...refusedScenarios, ...findingScenarios, ...ownGitScenarios],
  ...[...resultScenarios, ...printScenarios, ...gateScenarios, ...cleanUpScenarios],
  ...[...budgetScenarios, ...otherScenarios],
]
