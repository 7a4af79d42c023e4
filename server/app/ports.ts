import path from 'node:path'
import type { Integrations } from '@signalbox/contract/app/workspaces.ts'
import { isConfirmationUrl } from '../domain/on-call/senders/cloudwatch/sns/confirmation-url.ts'
import type { Ports } from '../domain/ports/ports.ts'
import { findConnection } from '../domain/tools/connections/find.ts'
import { notingOutcomes } from '../domain/tools/connections/note-outcome.ts'
import { pacingWrites } from '../domain/tools/connections/pace.ts'
import { keepPullRequests } from '../domain/work/pull-requests/keep.ts'
import { rules } from '../domain/work/requirements/splitting/rules.ts'
import { type Clock, systemClock } from '../infra/clock.ts'
import type { Db } from '../infra/db/db.ts'
import type { Queue } from '../infra/jobs/queue.ts'
import type { Secrets } from '../infra/secrets.ts'
import { BundleReader } from '../integrations/bundles/bundle-reader.ts'
import { slackChat } from '../integrations/chat/slack.ts'
import { callerFor } from '../integrations/connections/call.ts'
import { connectorsWith } from '../integrations/connections/connectors.ts'
import { GitHosts } from '../integrations/git-hosts/by-repository.ts'
import { GitHistory } from '../integrations/git-hosts/git-history.ts'
import { createGitProxy } from '../integrations/git-hosts/git-proxy.ts'
import { LocalGitHost } from '../integrations/git-hosts/local/local.ts'
import { smtpMailer } from '../integrations/mail/smtp.ts'
import { opsgenie } from '../integrations/pagers/opsgenie.ts'
import { pagerduty } from '../integrations/pagers/pagerduty.ts'
import { webPush } from '../integrations/push/web-push.ts'
import { languageModel } from '../integrations/splitters/language-model.ts'
import { trackersFor } from '../integrations/trackers/index.ts'
import { httpsWeb } from '../integrations/web/https.ts'
import { nobody } from '../integrations/work/nobody.ts'
import type { Config } from './config.ts'

/** Whom the server reaches out to, as it is configured. */
export const portsFrom = (
  config: Pick<
    Config,
    'dataDir' | 'splitter' | 'mail' | 'gitAllow' | 'pushAllow' | 'publicUrl' | 'connectionAllow'
  >,
  secrets: Pick<Secrets, 'derive' | 'decrypt'>,
  base: { db: Db; clock: Clock; queue: Queue; publicUrl: () => string } | null,
  /** Folders of our own with repositories. */
  own: readonly string[] = [],
): Ports => {
  const clock = base?.clock ?? systemClock
  const allow = [...config.gitAllow, ...own]
  const reach = { allow: config.connectionAllow, clock, ...(base ? { note: notingOutcomes(base) } : {}) }
  const call = callerFor({ ...reach, ...(base ? { pace: pacingWrites(base) } : {}) })
  return {
    connectors: connectorsWith(call),
    work: nobody,
    gitHost:
      base &&
      new GitHosts({
        local: new LocalGitHost({ ...base, allow, pullRequests: keepPullRequests(base) }),
        open: (workspaceId, id) => findConnection({ db: base.db, secrets }, workspaceId, id),
        call,
        passOn: createGitProxy(reach),
        clock,
      }),
    changes: new BundleReader(),
    history: new GitHistory(path.join(config.dataDir, 'repositories'), { allow }),
    tracker: null,
    trackers: trackersFor(call, clock),
    splitter: config.splitter ? languageModel(config.splitter) : rules,
    chat: base && slackChat(call, clock, config.connectionAllow),
    mailer: config.mail ? smtpMailer(config.mail) : null,
    push: webPush(secrets.derive('web push'), { allow: config.pushAllow, contact: contactOf(config) }),
    pagers: { pagerduty, opsgenie },
    web: httpsWeb({ isAllowed: isConfirmationUrl }),
  }
}

/** Under which a push service can complain. */
const contactOf = ({ mail, publicUrl }: Pick<Config, 'mail' | 'publicUrl'>): string | null =>
  mail ? `mailto:${mail.from.address}` : publicUrl?.startsWith('https:') ? publicUrl : null

/** What of it is there, as people are shown it: names and hosts, no secrets. */
export const connectionsOf = (
  { mail, splitter }: Pick<Config, 'splitter' | 'mail'>,
  ports: Ports,
): Omit<Integrations, 'pagers'> => ({
  mail: ports.mailer && mail ? { host: mail.host, from: mail.from.address } : null,
  splitter: splitter && { host: new URL(splitter.url).host, model: splitter.model },
  gitHost: ports.gitHost !== null,
  tracker: ports.tracker !== null,
  work: ports.work !== nobody,
})
