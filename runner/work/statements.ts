import { createHash } from 'node:crypto'
import { seal } from '@signalbox/contract/dsse.ts'
import {
  payloadType,
  policyUri,
  type Statement,
  type SummaryStatement,
  specGate,
  statementType,
  summaryOf,
  summaryType,
  type TestResultStatement,
  testResultOf,
  testResultType,
} from '@signalbox/contract/runner/evidence.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { GatePlan, GateRun } from '../gates/gate.ts'
import type { OrderContext } from '../orders/order-context.ts'
import { version } from '../version.ts'
import type { Workshop } from './workshop.ts'

/** What was measured, and how. */
export interface Measured {
  /** The statement about the whole run, and the hash of its envelope. */
  whole: Statement
  envelope: string
  plan: GatePlan
  onHead: GateRun[]
}

/** The same findings in the words of in-toto and SLSA, for tools that know nothing of us. */
export async function signStatements(
  { identity }: Pick<Workshop, 'identity'>,
  order: Order,
  context: Pick<OrderContext, 'keep'>,
  { whole, envelope, plan, onHead }: Measured,
): Promise<string[]> {
  const sign = (statement: TestResultStatement | SummaryStatement) =>
    context.keep(
      Buffer.from(JSON.stringify(seal(payloadType, Buffer.from(JSON.stringify(statement)), identity.key))),
    )
  const { predicate, subject } = whole
  const about = { _type: statementType, subject } as const
  const results: string[] = []
  for (const gate of predicate.gates) {
    const run = onHead.find(({ name }) => name === gate.name)
    if (!run) continue
    results.push(
      await sign({
        ...about,
        predicateType: testResultType,
        predicate: {
          result: testResultOf(gate.result),
          configuration: configurationOf(gate.name, plan, order),
          ...(gate.name === specGate ? criteriaOf(whole) : namesOf(run)),
        },
      }),
    )
  }
  const policy = Buffer.from(JSON.stringify(order.policy))
  const summary = await sign({
    ...about,
    predicateType: summaryType,
    predicate: {
      verifier: { id: `urn:uuid:${identity.instance}`, version: { 'signalbox-runner': version } },
      timeVerified: predicate.collectedAt,
      resourceUri: `${subject[0]!.name}@${predicate.head}`,
      policy: {
        uri: policyUri(order.team, order.policy.version),
        digest: { sha256: digestOf(policy) },
        content: policy.toString('base64'),
      },
      inputAttestations: [envelope, ...results].map((sha256) => ({
        uri: `urn:sha256:${sha256}`,
        digest: { sha256 },
      })),
      ...summaryOf(predicate),
    },
  })
  return [...results, summary]
}

const digestOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

type Configuration = TestResultStatement['predicate']['configuration']

/** The definition that was followed, which is that of the base; of the spec, its command and its pin. */
function configurationOf(name: string, plan: GatePlan, { spec }: Order): Configuration {
  if (name === specGate && spec)
    return [defined(name, { run: spec.command }), { name: spec.folder, digest: { sha256: spec.files } }]
  const definition =
    plan.gates.find((gate) => gate.name === name) ??
    plan.setUp.find((step) => name === `Set-up: ${step.name}`) ??
    null
  return [defined(name, { ...definition, from: plan.from })]
}

function defined(name: string, definition: object): Configuration[number] {
  const bytes = Buffer.from(JSON.stringify(definition))
  return { name, digest: { sha256: digestOf(bytes) }, content: bytes.toString('base64') }
}

/** What the spec tests are the criteria. */
const criteriaOf = ({ predicate: { criteria } }: Statement) => ({
  passedTests: criteria.filter(({ result }) => result === 'passed').map(({ id }) => id),
  failedTests: criteria.filter(({ result }) => result === 'failed').map(({ id }) => id),
})

/** Nothing where no report has names: an empty list would say that no test failed. */
const namesOf = ({ passes, failures }: GateRun) =>
  passes ? { passedTests: passes, failedTests: failures } : {}
