import { seal } from '@signalbox/contract/dsse.ts'
import { isolationWith } from '@signalbox/contract/isolation.ts'
import type { Evidence, Gate } from '@signalbox/contract/run.ts'
import {
  payloadType,
  runEvidenceType,
  type Statement,
  statementType,
} from '@signalbox/contract/runner/evidence.ts'
import type { Order, RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import type { GatePlan, GateRun } from '../gates/gate.ts'
import type { OrderContext } from '../orders/order-context.ts'
import type { Site } from './site.ts'
import { signStatements } from './statements.ts'
import type { Workshop } from './workshop.ts'

export interface Collected {
  site: Site
  plan: GatePlan
  onBase: GateRun[]
  onHead: GateRun[]
  /** What the gates came to beside how they were on the base. */
  gates: Gate[]
  findings: string[]
  evidence: Omit<Evidence, 'collectedAt' | 'gates'>
}

/**
 * Everything that was seen, in statements signed by this runner. They say who reported it, and what applied at the
 * time.
 */
export async function packEvidence(
  shop: Workshop,
  order: Order,
  context: OrderContext,
  { site, plan, onBase, onHead, gates, findings, evidence }: Collected,
): Promise<{ envelope: string; statements: string[] }> {
  const agent = agentOf(shop, order)
  const diff = await site.store.diff(site.base, site.head)
  const { files, additions, deletions } = evidence.changes
  const statement: Statement = {
    _type: statementType,
    subject: [{ name: `git+${order.repository.name}`, digest: { gitCommit: site.head } }],
    predicateType: runEvidenceType,
    predicate: {
      story: { key: order.story.key, title: order.story.title },
      run: order.run,
      attempt: order.attempt,
      base: site.base,
      head: site.head,
      policyVersion: order.policy.version,
      isolation: isolationWith(shop.box.isolation, agent.access, order.policy.modelTools),
      agent,
      gates: await Promise.all(
        gates.map(async (gate) => {
          const output = onHead.find(({ name }) => name === gate.name)?.output
          return {
            ...gate,
            onBase: onBase.find(({ name }) => name === gate.name)?.result ?? null,
            log: output ? await context.keep(Buffer.from(output)) : null,
          }
        }),
      ),
      criteria: evidence.criteria,
      spec: order.spec,
      diff: { sha256: await context.keep(Buffer.from(diff)), files, additions, deletions, findings },
      demonstration: evidence.demonstration,
      ...(evidence.secondReview ? { secondReview: evidence.secondReview } : {}),
      cost: order.spent ?? [],
      runner: { id: shop.identity.instance, key: shop.identity.publicKey },
      collectedAt: new Date().toISOString(),
    },
  }
  const sealed = seal(payloadType, Buffer.from(JSON.stringify(statement)), shop.identity.key)
  const envelope = await context.keep(Buffer.from(JSON.stringify(sealed)))
  const statements = await signStatements(shop, order, context, { whole: statement, envelope, plan, onHead })
  return { envelope, statements }
}

const agentOf = ({ agents }: Workshop, { executor }: Order): RunnerExecutor =>
  agents.find((agent) => agent.executor.name === executor)?.executor ?? {
    name: executor,
    via: 'native',
    version: null,
  }
