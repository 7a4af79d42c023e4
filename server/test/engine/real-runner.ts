import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readConfig } from '../../../runner/config.ts'
import { gitFacts } from '../../../runner/doctor/git-facts.ts'
import { openWorkshop, registrationOf } from '../../../runner/equipment.ts'
import { startRunner } from '../../../runner/runner.ts'
import { plainBox } from '../../../runner/test/plain-box.ts'
import { performOrderIn } from '../../../runner/work/perform-order.ts'

/**
 * Our own runner against a server of the test, in this process, without a box unless `isBoxed`: what it takes over HTTP it
 * does in git.
 * `script` is what its scripted agent plays; `agents` and `environment` are for others, `args` are more options.
 */
export async function aRunner(
  { url, token, gitFolder }: { url: string; token: string; gitFolder: string },
  given: {
    script?: object
    agents?: string[]
    environment?: Record<string, string>
    isBoxed?: boolean
    args?: string[]
  } = {},
) {
  const data = await mkdtemp(path.join(tmpdir(), 'signalbox-runner-'))
  const script = path.join(data, 'script.json')
  const play = (plays: object) => writeFile(script, JSON.stringify(plays))
  await play(given.script ?? { stories: {} })
  const config = readConfig(
    [
      ...['--url', url, '--data', path.join(data, 'own'), '--git-folders', gitFolder, '--name', 'real'],
      ...['--agents', [`scripted=${script}`, ...(given.agents ?? [])].join(',')],
      ...(given.args ?? []),
    ],
    { SERVICE_API_KEY: token, SIGNALBOX_RUNNER_PACE: '0.05' },
  )
  const opened = await openWorkshop(config, { PATH: '/nowhere', ...given.environment })
  const shop = given.isBoxed ? opened : { ...opened, box: plainBox() }
  const said: string[] = []
  const runner = startRunner(config, {
    ...registrationOf(shop),
    git: gitFacts(config.gitFolders),
    work: performOrderIn(shop),
    say: (line) => void said.push(line),
  })
  return {
    said,
    play,
    ended: runner.ended,
    async stop() {
      runner.handBack()
      await runner.ended
      // Work that was let go because it would not stop may still be putting its things away.
      await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
    },
  }
}
