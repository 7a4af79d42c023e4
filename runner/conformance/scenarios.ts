import type { RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { RehearsalStep, Scenario } from './scenario.ts'

const commit = '1'.repeat(40)
const finished: RehearsalStep = {
  report: { type: 'finished', branch: { name: 'signalbox/run-aaa1/1', head: commit } },
}
const progress = (message: string): RehearsalStep => ({ report: { type: 'progress', message } })
const usage: RehearsalStep = { report: { type: 'usage', amount: 0.01, currency: 'USD' } }
/** What an ordinary order does: a little of everything. */
const ordinary: RehearsalStep[] = [progress('begun'), { print: 'hello' }, usage, { keep: 'a file' }, finished]
const slow = (seconds: number): RehearsalStep[] => [
  progress('begun'),
  { print: 'hello' },
  { wait: seconds },
  finished,
]
const done = { until: { reported: 'finished' } } as const
const begun = { until: { logged: 'hello' } } as const
const oneFinished = [['finished']] satisfies RunnerEvent['type'][][]

/** What a runner does on its own, whatever agent it uses. */
export const processScenarios: Scenario[] = [
  // The longest comes first: others are played beside it.
  {
    name: 'An agent that says nothing for ten minutes is ended, and that is reported',
    orders: [{ rehearsal: [{ silentTurn: true }, finished] }],
    steps: [{ until: { reported: 'failed' } }],
    expect: { reported: [['failed']], failedWith: 'has been silent for 10 minutes' },
  },
  {
    name: 'An order is acquired, worked and reported, and the runner leaves when it is asked to',
    orders: [{ rehearsal: ordinary }],
    steps: [done, { signal: 'SIGTERM' }, { until: { exited: true } }],
    expect: { reported: oneFinished, exitCode: 0, logged: ['hello'], calls: { keep_file: 1, leave: 1 } },
  },
  {
    name: 'Registering again after an answer was lost is one runner',
    faults: [{ call: 'register', does: 'drop the answer' }],
    orders: [{ rehearsal: ordinary }],
    steps: [done],
    expect: { reported: oneFinished, calls: { register: 2 } },
  },
  {
    name: 'A session that still lives is waited out',
    faults: [
      {
        call: 'register',
        times: 2,
        does: 'refuse',
        status: 409,
        code: 'session_alive',
        retryAfterSeconds: 2,
      },
    ],
    orders: [{ rehearsal: ordinary }],
    steps: [done],
    expect: { reported: oneFinished, calls: { register: 3 } },
  },
  {
    name: 'A lost answer to acquire is healed by the same ask',
    faults: [{ call: 'acquire', does: 'drop the answer' }],
    orders: [{ rehearsal: slow(2) }],
    steps: [begun, done],
    expect: { reported: oneFinished, calls: { acquire: 2 } },
  },
  {
    name: 'A runner killed between an ask and its answer asks the same again',
    steps: [
      { until: { call: 'acquire', times: 1 } },
      { signal: 'SIGKILL' },
      { start: true },
      { until: { more: 'acquire', times: 1 } },
    ],
    expect: { sameAsk: true, exitCode: 0 },
  },
  {
    name: 'Beats go on during a checkout of 90 seconds',
    orders: [{ rehearsal: slow(90) }],
    steps: [done],
    expect: { reported: oneFinished, calls: { beat: 4 } },
  },
  {
    name: 'A beat without an answer does not hold the next one up',
    faults: [{ call: 'beat', withOrders: true, from: 2, does: 'delay', seconds: 300 }],
    orders: [{ rehearsal: slow(120) }],
    steps: [{ until: { call: 'beat', times: 4 } }, done],
    expect: { reported: oneFinished },
  },
  ...(['register', 'acquire', 'beat', 'reports', 'log', 'keep_file'] as const).flatMap((call): Scenario[] => [
    {
      name: `503 with Retry-After at ${call} is waited out`,
      faults: [{ call, times: 2, does: 'refuse', status: 503, retryAfterSeconds: 2 }],
      orders: [{ rehearsal: ordinary }],
      steps: [done],
      expect: { reported: oneFinished, logged: ['hello'], calls: { [call]: 3 } },
    },
  ]),
  ...([401, 403, 404, 409] as const).flatMap((status): Scenario[] => [
    {
      name: `A ${status} that the server did not give, but something in between, is waited out`,
      faults: (['acquire', 'beat', 'reports', 'log', 'keep_file', 'credential'] as const).map((call) => ({
        ...{ call, does: 'answer as a proxy', status },
      })),
      orders: [{ rehearsal: [...ordinary.slice(0, -1), { push: true }, finished] }],
      steps: [done],
      expect: { reported: oneFinished, logged: ['hello', 'pushed'], callsAtMost: { register: 1 } },
    },
  ]),
  {
    name: 'A 409 to a call for work that does not speak of the session leaves it as it is',
    faults: [{ call: 'acquire', times: 2, does: 'refuse', status: 409, code: 'conflict' }],
    orders: [{ rehearsal: ordinary }],
    steps: [done],
    expect: { reported: oneFinished, calls: { acquire: 3 }, callsAtMost: { register: 1 } },
  },
  {
    name: 'A 409 under an order that does not say that it is over fails the work, in words',
    faults: [{ call: 'credential', does: 'refuse', status: 409, code: 'conflict' }],
    orders: [{ rehearsal: [progress('begun'), { push: true }, finished] }],
    steps: [{ until: { reported: 'failed' } }],
    expect: { reported: [['failed']], failedWith: 'The scenario wants it so' },
  },
  {
    name: 'Answers that are lost after they took effect are asked for again, and nothing counts twice',
    faults: [
      { call: 'reports', times: 2, does: 'drop the answer' },
      { call: 'log', times: 2, does: 'drop the answer' },
      { call: 'keep_file', does: 'drop the answer' },
      { call: 'beat', does: 'drop the answer' },
    ],
    orders: [{ rehearsal: ordinary }],
    steps: [done],
    expect: { reported: oneFinished, logged: ['hello'] },
  },
  {
    name: 'An answer that trickles byte by byte is cut',
    faults: [
      { call: 'register', does: 'trickle' },
      { call: 'beat', does: 'trickle' },
      { call: 'reports', does: 'trickle' },
    ],
    orders: [{ rehearsal: ordinary }],
    steps: [done],
    expect: { reported: oneFinished, calls: { register: 2, beat: 2, reports: 2 } },
  },
  {
    name: 'The page of a proxy is no answer',
    faults: [
      { call: 'register', does: 'answer garbage' },
      { call: 'acquire', does: 'answer garbage' },
      { call: 'beat', does: 'answer garbage' },
      { call: 'reports', does: 'answer garbage' },
    ],
    orders: [{ rehearsal: ordinary }],
    steps: [done],
    expect: { reported: oneFinished },
  },
  {
    name: 'The server is away for two minutes before any order, and the runner comes back',
    steps: [
      { until: { call: 'acquire', times: 1 } },
      { server: 'away' },
      { wait: 120 },
      { server: 'back' },
      { offer: { rehearsal: ordinary } },
      { until: { reported: 'finished' } },
    ],
    expect: { reported: oneFinished },
  },
  {
    name: 'The server is away for two minutes while the work goes on, and hears of all of it',
    orders: [{ rehearsal: [...slow(60).slice(0, -1), { print: 'while away' }, finished] }],
    steps: [begun, { server: 'away' }, { wait: 120 }, { server: 'back' }, done],
    expect: { reported: oneFinished, logged: ['while away'] },
  },
  {
    name: 'A server that has forgotten the session is registered at again, and the work goes on',
    faults: [{ call: 'beat', withOrders: true, from: 3, does: 'refuse', status: 409, code: 'session_over' }],
    orders: [{ rehearsal: slow(90) }],
    steps: [done],
    expect: { reported: oneFinished, calls: { register: 2 }, held: ['working'] },
  },
  {
    name: 'kill -9 while it works: the order is lost, said so, and no process is left',
    orders: [{ rehearsal: [progress('begun'), { leaveProcess: true }, ...slow(3_600)] }],
    steps: [begun, { signal: 'SIGKILL' }, { start: true }, { until: { more: 'acquire', times: 1 } }],
    expect: { reported: [[]], held: ['lost'], calls: { register: 2 } },
  },
  {
    name: 'kill -9 with a result that could not be sent: it arrives after the restart, once',
    faults: [{ call: 'reports', times: 1_000, does: 'close' }],
    orders: [{ rehearsal: [{ print: 'hello' }, finished] }],
    steps: [
      { until: { call: 'reports', times: 2 } },
      { signal: 'SIGKILL' },
      { heal: true },
      { start: true },
      done,
    ],
    expect: { reported: oneFinished, held: ['reported'], logged: ['hello'] },
  },
  {
    name: 'kill -9 after a report whose answer was lost: it is repeated with the same number and counts once',
    faults: [{ call: 'reports', does: 'drop the answer' }],
    orders: [{ rehearsal: [finished] }],
    steps: [
      { until: { call: 'reports', times: 1 } },
      { signal: 'SIGKILL' },
      { start: true },
      { until: { more: 'reports', times: 1 } },
    ],
    expect: { reported: oneFinished, held: ['reported'] },
  },
  {
    name: 'Cancelled, the work ends politely and no process is left',
    orders: [{ rehearsal: [{ leaveProcess: true }, ...slow(3_600)] }],
    steps: [
      begun,
      { stop: 'cancel' },
      { until: { more: 'beat', times: 1 } },
      { until: { more: 'acquire', times: 1 } },
    ],
    expect: { reported: [[]], exitCode: 0 },
  },
  {
    name: 'Cancelled, work that takes no notice is ended when its grace is over',
    orders: [{ rehearsal: [{ leaveProcess: true }, { print: 'hello' }, { ignoreCancel: 3_600 }, finished] }],
    steps: [begun, { stop: 'cancel' }, { until: { more: 'acquire', times: 1 } }],
    expect: { reported: [[]], exitCode: 0 },
  },
  {
    name: 'Aborted, the work ends at once and no process is left',
    orders: [{ rehearsal: [{ leaveProcess: true }, { print: 'hello' }, { ignoreCancel: 3_600 }, finished] }],
    steps: [begun, { stop: 'abort' }, { until: { more: 'acquire', times: 1 } }],
    expect: { reported: [[]], exitCode: 0 },
  },
  {
    name: 'A token that is revoked while it polls ends the runner with 4',
    steps: [{ until: { call: 'acquire', times: 1 } }, { revoke: true }, { until: { exited: true } }],
    expect: { exitCode: 4 },
  },
  {
    name: 'A token that is revoked while it works ends the work and the runner with 4',
    orders: [{ rehearsal: [{ leaveProcess: true }, ...slow(3_600)] }],
    steps: [begun, { revoke: true }, { until: { exited: true } }],
    expect: { exitCode: 4, reported: [[]] },
  },
  {
    name: 'A revoked token loses no result: with another one it arrives',
    faults: [{ call: 'reports', times: 1_000, does: 'close' }],
    orders: [{ rehearsal: [{ print: 'hello' }, finished] }],
    steps: [
      { until: { call: 'reports', times: 2 } },
      { revoke: true },
      { heal: true },
      { until: { exited: true } },
      { revoke: false },
      { start: true },
      done,
    ],
    expect: { reported: oneFinished, held: ['reported'] },
  },
  {
    name: 'kill -9 after a push was allowed: the order is lost, and nothing is pushed again',
    orders: [{ rehearsal: [{ push: true }, ...slow(3_600)] }],
    steps: [begun, { signal: 'SIGKILL' }, { start: true }, { until: { more: 'acquire', times: 1 } }],
    expect: { reported: [[]], held: ['lost'] },
  },
  {
    name: 'An outdated fence before the push: nothing is pushed',
    orders: [{ rehearsal: [{ print: 'hello' }, { wait: 120 }, { push: true }, finished] }],
    steps: [begun, { outdate: 1 }, { until: { more: 'acquire', times: 1 } }],
    expect: { never: ['credential'], reported: [[]], notLogged: ['pushed'] },
  },
  {
    name: 'An outdated fence while it tells of its work: it stops, and does not ask for ever',
    orders: [
      {
        rehearsal: [
          { print: 'hello' },
          { leaveProcess: true },
          { wait: 20 },
          progress('late'),
          { wait: 3_600 },
        ],
      },
    ],
    faults: [{ call: 'beat', withOrders: true, from: 2, times: 1_000, does: 'close' }],
    steps: [begun, { outdate: 1 }, { until: { more: 'acquire', times: 1 } }],
    expect: { reported: [[]], exitCode: 0 },
  },
  {
    name: 'Without a beat there is no push, and with one there is',
    faults: [{ call: 'beat', withOrders: true, from: 2, times: 3, does: 'close' }],
    orders: [{ rehearsal: [{ print: 'hello' }, { wait: 12 }, { push: true }, finished] }],
    steps: [done],
    expect: {
      reported: oneFinished,
      logged: ['pushed'],
      before: { call: 'credential', comes: 'beat', times: 5 },
      notLogged: ['aGVsbG86c2VjcmV0LXdvcmQ='],
    },
  },
  {
    name: 'A gap that the server sees is filled from where it says',
    faults: [{ call: 'reports', from: 2, does: 'refuse', status: 409, code: 'report_gap', next: 1 }],
    orders: [{ rehearsal: [progress('one'), { wait: 2 }, progress('two'), finished] }],
    steps: [done],
    expect: { reported: oneFinished },
  },
  {
    name: 'A report that the server does not understand ends the work with a failure that names it',
    faults: [{ call: 'reports', does: 'refuse', status: 400, code: 'invalid_request' }],
    orders: [
      {
        rehearsal: [
          { report: { type: 'session_known', agentSession: 's' } },
          { print: 'hello' },
          { wait: 3_600 },
        ],
      },
    ],
    steps: [{ until: { reported: 'failed' } }],
    // The work is ended for it, and not waited for.
    expect: {
      ...{ reported: [['failed']], failedWith: 'refused the report session_known' },
      callsAtMost: { beat: 40 },
    },
  },
  {
    name: 'Five thousand lines arrive in order, and long ones are cut',
    orders: [
      {
        rehearsal: [{ print: 'x'.repeat(9_000) }, { print: 'a line of some length', times: 5_000 }, finished],
      },
    ],
    steps: [done],
    expect: { reported: oneFinished, logged: ['5000 a line', '(cut)'] },
  },
  {
    name: 'The token in the output is masked',
    orders: [{ rehearsal: [{ printToken: true }, finished] }],
    steps: [done],
    expect: { reported: oneFinished, logged: ['found *** here'] },
  },
  {
    name: 'An agent that makes the same call again and again is ended',
    orders: [{ rehearsal: [{ sameCall: 20 }, finished] }],
    steps: [{ until: { reported: 'failed' } }],
    expect: { reported: [['failed']], failedWith: 'the same call 20 times' },
  },
  {
    name: 'Work that ends without a result is a failure, whatever it says of itself',
    orders: [{ rehearsal: [{ print: 'all done' }] }],
    steps: [{ until: { reported: 'failed' } }],
    expect: { reported: [['failed']], failedWith: 'without a result' },
  },
  {
    name: 'Drained, it finishes what it has and takes nothing more',
    orders: [{ rehearsal: slow(60) }],
    steps: [
      begun,
      { signal: 'SIGTERM' },
      { wait: 40 },
      { offer: { rehearsal: ordinary } },
      { until: { exited: true } },
    ],
    expect: { reported: [['finished'], []], exitCode: 0, calls: { leave: 1 } },
  },
  {
    name: 'Asked to leave twice, it hands back what it has',
    orders: [{ rehearsal: [{ leaveProcess: true }, ...slow(3_600)] }],
    steps: [begun, { signal: 'SIGTERM' }, { wait: 30 }, { signal: 'SIGTERM' }, { until: { exited: true } }],
    expect: { reported: [[]], exitCode: 0, calls: { leave: 1 } },
  },
  {
    name: 'Asked to leave before it could register, it leaves',
    faults: [{ call: 'register', times: 1_000, does: 'close' }],
    steps: [{ until: { call: 'register', times: 2 } }, { signal: 'SIGTERM' }, { until: { exited: true } }],
    expect: { exitCode: 0, never: ['leave'] },
  },
  {
    name: 'Paused it takes nothing, resumed it does',
    steps: [
      { until: { call: 'acquire', times: 1 } },
      { command: 'pause' },
      { until: { more: 'beat', times: 1 } },
      { offer: { rehearsal: ordinary } },
      { until: { more: 'beat', times: 2 } },
      { command: 'resume' },
      done,
    ],
    expect: { reported: oneFinished },
  },
  {
    name: 'Asked to drain by the server, it ends with 0',
    steps: [{ until: { call: 'acquire', times: 1 } }, { command: 'drain' }, { until: { exited: true } }],
    expect: { exitCode: 0, calls: { leave: 1 } },
  },
  {
    name: 'Asked for an upgrade while it works, it finishes and ends with 5',
    orders: [{ rehearsal: slow(30) }],
    steps: [begun, { command: 'upgrade' }, { until: { exited: true } }],
    expect: { reported: oneFinished, exitCode: 5 },
  },
  {
    name: 'A server that no longer speaks its protocol ends the runner with 5',
    faults: [{ call: 'register', does: 'refuse', status: 426, code: 'upgrade_required' }],
    steps: [{ until: { exited: true } }],
    expect: { exitCode: 5 },
  },
  {
    name: 'A challenge that was used up meanwhile is asked for anew, and signed anew',
    faults: [{ call: 'register', times: 2, does: 'refuse', status: 409, code: 'challenge_over' }],
    orders: [{ rehearsal: ordinary }],
    steps: [done],
    expect: { reported: oneFinished, calls: { challenge: 3, register: 3 } },
  },
  {
    name: 'Refused because its instance belongs to another key, the runner ends and says so',
    faults: [{ call: 'register', does: 'refuse', status: 403, code: 'instance_taken' }],
    steps: [{ until: { exited: true } }],
    expect: { exitCode: 1 },
  },
  {
    name: 'Where the server keeps no more files of an order, the order fails and says so',
    faults: [{ call: 'keep_file', times: 1_000, does: 'refuse', status: 413, code: 'file_limit' }],
    orders: [{ rehearsal: ordinary }],
    steps: [{ until: { reported: 'failed' } }],
    expect: { reported: [['failed']], failedWith: 'The scenario wants it so' },
  },
  {
    name: 'An order that has reported as much as one may fails, and says so',
    faults: [{ call: 'reports', does: 'refuse', status: 413, code: 'report_limit' }],
    orders: [{ rehearsal: [progress('begun'), { wait: 600 }, finished] }],
    steps: [{ until: { reported: 'failed' } }],
    expect: { reported: [['failed']], failedWith: 'refused the report progress' },
  },
  {
    name: 'Fields of a newer server are ignored',
    serverAlsoSays: { weather: 'fine', notice: 'A new runner will be needed in spring.' },
    orders: [{ rehearsal: ordinary, alsoHas: { weather: { is: 'fine' } } }],
    steps: [done],
    expect: { reported: oneFinished },
  },
  {
    name: 'An order that the runner cannot read is a failure that says so',
    orders: [{ rehearsal: ordinary, alsoHas: { stage: 'dreaming' } }],
    steps: [{ until: { reported: 'failed' } }],
    expect: { reported: [['failed']], failedWith: 'cannot read the order' },
  },
  {
    name: 'A clock that is an hour ahead changes nothing',
    clockSeconds: 3_600,
    orders: [{ rehearsal: slow(20) }],
    steps: [done],
    expect: { reported: oneFinished },
  },
  {
    name: 'Two slots work on two orders at once',
    slots: 2,
    orders: [{ rehearsal: slow(120) }, { rehearsal: slow(120) }],
    steps: [
      begun,
      { until: { logged: 'hello', order: 2 } },
      { until: { reported: 'finished', order: 2 } },
      done,
    ],
    expect: { reported: [['finished'], ['finished']] },
  },
]
