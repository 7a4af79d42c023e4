import type { Agent } from '../agents/agent.ts'
import { findSignIn, type SignIn, type SignInPlace } from '../agents/sign-in.ts'
import type { Box } from '../box/box.ts'
import { drive, type Seen, type Site } from './drive.ts'
import { type Maker, startMaker } from './maker.ts'
import type { Model } from './model/model.ts'

/** One turn of an agent that signs in on its own, in the box, with its maker's hosts played by us. */
export async function driveSubscribed(
  agent: Agent,
  box: Box,
  site: Site,
  { model, folder, place, prompt }: { model: Model; folder: string; place: SignInPlace; prompt: string },
): Promise<{ seen: Seen; maker: Maker; signIn: SignIn }> {
  const signIn = findSignIn(agent.executor.name, place)!
  await using maker = await startMaker(model, folder, signIn.hosts)
  const file = 'maker.pem'
  const { worktree, home, out } = site
  const believed = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'CODEX_CA_CERTIFICATE'].map((name) => [
    name,
    `${home}/${file}`,
  ])
  const seen = await drive(agent, box, site, {
    prompt,
    model: signIn.model,
    signIn: {
      ...signIn,
      files: { ...signIn.files, [file]: maker.certificate },
      environment: { ...signIn.environment, ...Object.fromEntries(believed) },
    },
    limits: {
      ...{ worktree, home, out, readable: [], denied: [], environment: {}, gateway: null },
      ...{ network: 'maker', proxy: maker.connectProxy.socket },
    },
  })
  return { seen, maker, signIn }
}
