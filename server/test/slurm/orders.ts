import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { listRunners } from '../../domain/engine/runners/list.ts'
import { testApp } from '../app.ts'
import { ABareRepository } from '../engine/bare-repository.ts'
import { aRepository } from '../engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

/**
 * `npm run test:slurm`: a real Slurm of one node on loopback, to which the scripts of deploy/slurm submit a job for each
 * order. Needs root and `apt-get install munge slurmctld slurmd slurm-client`.
 */

const run = promisify(execFile)
const repository = path.resolve(import.meta.dirname, '..', '..', '..')

const script = {
  stories: {
    '*': {
      plan: [[{ result: 'plan.json', json: { plan: 'Write it.', paths: ['notes'], risk: 'low', lines: 1 } }]],
      spec: [
        [
          { result: 'acceptance/note.sh', text: 'test -f notes/{story}.txt && echo "ok - there"\n' },
          {
            result: 'acceptance/manifest.json',
            json: { command: 'sh .kanman/acceptance/{story}/note.sh', files: ['note.sh'] },
          },
        ],
      ],
      implement: [[{ write: 'notes/{story}.txt', text: '{story}\n' }]],
    },
  },
}

async function aPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/** Without cgroups and accounting, so that it runs in a container too. */
async function aSlurm(folder: string) {
  const children: ChildProcess[] = []
  const start = (program: string, args: string[]) =>
    void children.push(spawn(program, args, { stdio: 'ignore', env }))
  const conf = path.join(folder, 'slurm.conf')
  const env = { ...process.env, SLURM_CONF: conf, MUNGE_SOCKET: path.join(folder, 'munge', 'socket') }
  const munge = path.join(folder, 'munge')
  await mkdir(munge, { mode: 0o755 })
  const key = path.join(munge, 'key')
  await writeFile(key, Buffer.alloc(1024, 'not a secret, and only here '), { mode: 0o400 })
  const user = hostname().split('.')[0]!
  await writeFile(
    conf,
    [
      `ClusterName=signalbox\nSlurmctldHost=${user}(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root`,
      `SlurmctldPort=${await aPort()}\nSlurmdPort=${await aPort()}`,
      `AuthType=auth/munge\nAuthInfo=socket=${env.MUNGE_SOCKET}\nCredType=cred/munge`,
      `StateSaveLocation=${folder}/state\nSlurmdSpoolDir=${folder}/spool`,
      `SlurmctldPidFile=${folder}/slurmctld.pid\nSlurmdPidFile=${folder}/slurmd.pid`,
      'ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none',
      'MpiDefault=none\nReturnToService=2\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU',
      'SchedulerParameters=sched_interval=2\nMinJobAge=3600\nSlurmdParameters=config_overrides',
      `NodeName=${user} NodeAddr=127.0.0.1 CPUs=4 RealMemory=16000 State=UNKNOWN`,
      `PartitionName=work Nodes=${user} Default=YES MaxTime=INFINITE State=UP\n`,
    ].join('\n'),
  )
  for (const name of ['state', 'spool']) await mkdir(path.join(folder, name))
  start('munged', [
    ...['--foreground', '--force', `--socket=${env.MUNGE_SOCKET}`, `--key-file=${key}`],
    ...[`--pid-file=${munge}/pid`, `--log-file=${munge}/log`, `--seed-file=${munge}/seed`],
  ])
  await until('munge answers', () =>
    run('munge', ['--no-input', `--socket=${env.MUNGE_SOCKET}`]).then(
      () => true,
      () => false,
    ),
  )
  start('slurmctld', ['-D', '-f', conf, '-L', path.join(folder, 'slurmctld.log')])
  start('slurmd', ['-D', '-f', conf, '-N', user, '-L', path.join(folder, 'slurmd.log')])
  await until('the node is idle', () =>
    run('sinfo', ['--noheader', '--format=%T'], { env }).then(
      ({ stdout }) => /^idle/.test(stdout),
      () => false,
    ),
  )
  return {
    env,
    async stop() {
      for (const child of children.reverse()) {
        const gone = once(child, 'exit')
        child.kill('SIGTERM')
        await gone
      }
    },
  }
}

const missing = await run('sh', ['-c', 'command -v munged slurmctld slurmd sbatch']).then(
  () => false,
  () => 'apt-get install munge slurmctld slurmd slurm-client',
)

test('a run goes to its merge by jobs of Slurm, one for each order, which are submitted as the queue asks for them', {
  skip: missing || (process.getuid?.() !== 0 && 'Slurm is started by root here'),
}, async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-slurm-'))
  await chmod(folder, 0o755)
  const git = new ABareRepository()
  await git.push('main', {
    'README.md': 'A shop.\n',
    '.kanman/gates.yml': 'gates:\n  - { name: notes, run: test -f README.md }\n',
  })
  const app = await testApp({ env: { GIT_ALLOW: git.folder } })
  const slurm = await aSlurm(folder)
  t.after(async () => {
    await slurm.stop()
    await app.stop()
    git.remove()
    await rm(folder, { recursive: true, force: true })
  })
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { token } = await aToken(owner, ['read'])
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'autonomous', { isolation: 'none' })
  await aRepository(owner, team, git.bare)
  await aStory(owner, team)
  const settings = path.join(folder, 'runner.env')
  await writeFile(path.join(folder, 'script.json'), JSON.stringify(script))
  await writeFile(
    settings,
    [
      `SERVICE_API_KEY=${token}\nSIGNALBOX_URL=${app.url}\nSIGNALBOX_JOBS=2`,
      `SIGNALBOX_RUNNER='${process.execPath} ${repository}/runner/main.ts'\n`,
    ].join('\n'),
    { mode: 0o600 },
  )
  const env = { ...slurm.env, SIGNALBOX_RUNNER_ENV: settings, SBATCH_OUTPUT: path.join(folder, 'job-%j.txt') }
  const options = ['--agents', `scripted=${folder}/script.json`, '--git-folders', git.folder]
  const submitted: string[] = []
  const state = async () =>
    (
      await app.storage.pool.query<{ phase: string; attempts: number; taken: number; runners: string[] }>(
        `select r.phase, r.attempts, count(w.id)::int as taken, array_agg(distinct w.name) as runners
        from runs r join work_orders o on o.run_id = r.id left join runners w on w.id = o.runner_id
        where r.workspace_id = $1 group by r.id`,
        [owner.workspaceId],
      )
    ).rows[0]
  const isOver = async () => ['succeeded', 'failed'].includes((await state())?.phase ?? '')
  for (let orders = 1; !(await isOver()); orders += 1)
    await until(`order ${orders} is taken`, async () => {
      // As scrontab would, only more often.
      const submit = path.join(repository, 'deploy', 'slurm', 'signalbox-submit')
      submitted.push(...(await run(submit, options, { env })).stdout.trim().split('\n').filter(Boolean))
      return ((await state())?.taken ?? 0) >= orders || (await isOver())
    })
  const ended = (await state())!
  assert.deepEqual([ended.phase, ended.attempts], ['succeeded', 1])
  assert.equal(ended.runners.length, ended.taken, 'a job for each order')
  for (const name of ended.runners) assert.match(name, /^slurm-\d+$/)
  await until('every job has ended', async () => {
    const { stdout } = await run('squeue', ['--noheader'], { env })
    return stdout === ''
  })
  const { stdout } = await run('scontrol', ['show', 'jobs', '--oneliner'], { env })
  const codes = [...stdout.matchAll(/JobState=(\w+).*?ExitCode=(\S+)/g)].map(([, ...found]) =>
    found.join(' '),
  )
  assert.deepEqual([...new Set(codes)], ['COMPLETED 0:0'])
  assert.equal(codes.length, submitted.length)
  assert.doesNotMatch(stdout, new RegExp(token))
  assert.deepEqual(await listRunners(owner), [])
  t.diagnostic(`${codes.length} jobs for ${ended.taken} orders`)
})
