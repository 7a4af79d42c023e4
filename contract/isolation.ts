/** How well a runner keeps an agent in. No schema here: the app takes these values too. */

export const isolationLevels = ['none', 'process', 'box', 'gvisor'] as const
export type IsolationLevel = (typeof isolationLevels)[number]

/** What a runner measures, each by playing the attempt that it would prevent: what it can do where the fact holds. */
export const isolationFacts = {
  environmentCleared: 'clear the agent’s environment',
  descendantsReaped: 'end everything that the agent started',
  writesOutsideBlocked: 'keep writes inside the work folder',
  deniedPathsBlocked: 'protect the denied paths',
  secretsUnreadable: 'keep the machine’s secrets unreadable',
  networkOnlyToGateway: 'keep the network closed',
} as const
export type IsolationFact = keyof typeof isolationFacts

/** What else is said of it: nothing that a level demands, because a runner need not know of it. */
export const isolationLimits = ['cgroup', 'rlimits', 'watched'] as const
export const isolationKeyrings = ['own', 'inherited'] as const
export const isolationUsers = ['own', 'dropped', 'root'] as const

/** Measured or not, in any order: more may be said than is looked at here. */
export type IsolationMeasured = Readonly<Record<IsolationFact, boolean>> & {
  readonly backend?: string | null
}

/** What a level can lack: a fact, or a kernel of its own, which is known by what keeps the agent in. */
export type IsolationLack = IsolationFact | 'separateKernel'
export const isolationLacks: Record<IsolationLack, string> = {
  ...isolationFacts,
  separateKernel: 'keep the agent away from the machine’s kernel (gVisor)',
}

const all = Object.keys(isolationFacts) as IsolationFact[]

const demands: Record<IsolationLevel, readonly IsolationLack[]> = {
  none: [],
  process: ['environmentCleared', 'descendantsReaped'],
  box: all,
  gvisor: [...all, 'separateKernel'],
}

/** What of a level does not hold. */
export const lackingFor = (level: IsolationLevel, measured: IsolationMeasured): IsolationLack[] =>
  demands[level].filter((lack) =>
    lack === 'separateKernel' ? measured.backend !== 'gvisor' : !measured[lack],
  )

/**
 * How a coding agent reaches its model: through the runner's gateway, which counts; by a subscription of the operator's,
 * past the gateway; or not at all, as far as the runner knows.
 */
export const modelAccesses = ['gateway', 'subscription', 'none'] as const
export type ModelAccess = (typeof modelAccesses)[number]

/**
 * What holds for an agent. With a subscription it reaches its maker through a tunnel that the runner cannot look into;
 * with tools of its model's provider that a policy has allowed, it reaches others through the provider.
 */
export const isolationWith = <T extends IsolationMeasured>(
  measured: T,
  access: ModelAccess | undefined,
  modelTools: readonly string[] = [],
): T =>
  access === 'subscription' || (access === 'gateway' && modelTools.length > 0)
    ? { ...measured, networkOnlyToGateway: false }
    : measured

/** The highest level that a set of facts amounts to. */
export const isolationLevelOf = (measured: IsolationMeasured): IsolationLevel =>
  isolationLevels.findLast((level) => lackingFor(level, measured).length === 0) ?? 'none'
