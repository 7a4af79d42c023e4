import { withSecretFiles } from '@signalbox/contract/secret-files.ts'
import { ExitError, exitCodes } from './exit-error.ts'
import { keyVariables } from './gateway/apis.ts'

/** Read before the runner becomes another user, who may not be allowed to. */
const secrets = ['SERVICE_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', ...keyVariables]

/** The environment with the secrets that are in files. */
export function readSecretFiles(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const mistakes: string[] = []
  const read = withSecretFiles(environment, secrets, mistakes)
  if (mistakes.length > 0) throw new ExitError(mistakes.join('\n'), exitCodes.usage)
  return read
}
