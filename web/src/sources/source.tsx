import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { useParams } from '@tanstack/react-router'
import { BellOff, Pause, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { ToolRefusals } from '../connections/tool-refusals.tsx'
import { PagedAlerts } from '../incidents/paged-alerts.tsx'
import { ManagedBanner } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { AskButton } from '../ui/dialog.tsx'
import { useGo } from '../ui/link.ts'
import { Card, Loaded, Page, Section } from '../ui/page.tsx'
import { RefusalText } from '../ui/refusal-text.tsx'
import { Time } from '../ui/time.tsx'
import { Credentials } from './credentials.tsx'
import { Deliveries } from './deliveries.tsx'
import { EditSource } from './edit.tsx'
import { type Kind, useKinds } from './kinds.ts'
import { Recipe } from './recipe.tsx'
import { Secret } from './secret.tsx'
import { SourceState } from './state.tsx'
import { TestButton } from './test-button.tsx'
import { Trail } from './trail.tsx'

export function SourceScreen() {
  const { service, source: id } = useParams({ from: '/$ws/services/$service/sources/$source' })
  const source = useRead('sources.read', { source: id }, { every: 15_000 })
  const kinds = useKinds()
  const kind = kinds.data?.find((one) => one.kind === source.data?.kind)
  return (
    <Page
      title={source.data?.name ?? 'Source'}
      above={
        <>
          <Trail service={service} />
          {kind && <Badge word={kind.name} />}
          {source.data && <SourceState source={source.data} />}
        </>
      }
      aside={source.data && kind && <Actions source={source.data} kind={kind} service={service} />}
    >
      <Loaded of={source} lines={10}>
        {(data) => (
          <Loaded of={{ ...kinds, data: kind }} lines={10}>
            {(shown) => <Content source={data} kind={shown} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}

interface Shown {
  source: SourceRow
  kind: Kind
}

function Content({ source, kind }: Shown) {
  const isCheck = source.kind === 'uptime'
  return (
    <>
      <ManagedBanner kind="sources" which={{ id: source.id }} />
      <ToolRefusals
        of={source.updatesRefused}
        toTry={`Fix the cause in ${kind.name}, or replace the API key on this page to try immediately.`}
      />
      {isCheck ? (
        <Check source={source} kind={kind} />
      ) : (
        <>
          <Proof source={source} kind={kind} />
          <SetUp source={source} kind={kind} />
          <Deliveries source={source} />
        </>
      )}
      <Section title="Alerts" hint="Alerts from this source, and what happened to each one.">
        <PagedAlerts
          filter={{ source: source.id }}
          of="source"
          icon={BellOff}
          howToSee={
            isCheck
              ? 'An alert is raised after enough failures in a row.'
              : 'Send a test alert to see one here.'
          }
        />
      </Section>
      <EditSource source={source} kind={kind} />
      {kind.credentials && <Credentials source={source} kind={kind} />}
    </>
  )
}

/** Open while nothing is connected yet, and as it was left from then on. */
function SetUp({ source: { id, url, lastDeliveryAt }, kind }: Shown) {
  const [isFresh] = useState(lastDeliveryAt === null)
  if (url === null) return null
  return (
    <Section title={`Set up ${kind.inSentence}`}>
      <details open={isFresh} className="rounded-lg border bg-surface p-4">
        <summary className="text-sm leading-7 font-medium">Setup steps and test command</summary>
        <div className="mt-3 max-w-3xl">
          <Recipe source={id} kind={kind} filled={{ url, secret: null }} />
        </div>
      </details>
    </Section>
  )
}

function Proof({ source, kind }: Shown) {
  return (
    <Section title="Address and secret" hint={kind.proof}>
      <Card className="grid gap-4 p-4 md:grid-cols-[minmax(0,1fr)_auto]">
        <div className="min-w-0">
          <h3 className="mb-1 text-sm font-medium">Address</h3>
          <Copyable text={source.url ?? ''} label="Copy address" />
        </div>
        <div>
          <h3 className="mb-1 text-sm font-medium">{kind.ownSecret ?? 'Secret'}</h3>
          <Secret source={source} kind={kind} />
        </div>
      </Card>
    </Section>
  )
}

function Check({ source: { check, settings }, kind }: Shown) {
  return (
    <Section title="Uptime check" hint={kind.proof}>
      <Card className="flex flex-col gap-1 p-4 text-sm">
        <p className="break-all">{String(settings.url)}</p>
        {check?.lastAt ? (
          <>
            <p>
              {check.status === 'down'
                ? `Down since ${dateOf(check.changedAt)}`
                : check.failures > 0
                  ? `Failing. It counts as down after ${settings.failures === 1 ? '1 failure' : `${settings.failures} failures in a row`}`
                  : `Up since ${dateOf(check.changedAt)}`}
              . Last checked <Time at={check.lastAt} />.
            </p>
            {check.lastError && (
              <p className="wrap-anywhere text-danger">
                {check.failures} {check.failures === 1 ? 'failure' : 'failures in a row'}. Last error:{' '}
                <RefusalText text={/[.]$/.test(check.lastError) ? check.lastError : `${check.lastError}.`} />
              </p>
            )}
          </>
        ) : (
          <p className="text-muted">Not checked yet.</p>
        )}
      </Card>
    </Section>
  )
}

function Actions({ source, kind, service }: Shown & { service: string }) {
  const { id, name, paused } = source
  const [go, forbidden] = [useGo(), useForbidden('manage sources')]
  const remove = useAction('sources.delete', {
    alsoStale: ['services', 'incidents'],
    said: `${name} deleted`,
    next: () => go({ to: '/$ws/services/$service', params: { service }, search: { tab: 'sources' } }),
  })
  const [undoPause, undoResume] = [useAction('sources.resume'), useAction('sources.pause')]
  const pause = useAction('sources.pause', {
    said: 'Source paused. Deliveries are recorded but don’t open incidents.',
    undo: () => undoPause.press({ source: id }),
  })
  const resume = useAction('sources.resume', {
    said: 'Source resumed',
    undo: () => undoResume.press({ source: id }),
  })
  return (
    <>
      {source.kind !== 'uptime' && <TestButton source={id} kind={kind} />}
      <Button
        icon={paused ? <Play size={14} /> : <Pause size={14} />}
        forbidden={forbidden}
        {...(paused ? resume : pause).button({ source: id })}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <AskButton
        label="Delete"
        look="quiet"
        icon={<Trash2 size={14} />}
        forbidden={forbidden}
        does={remove}
        to={{ source: id }}
        title={`Delete ${name}?`}
        action="Delete source"
      >
        Its address stops working immediately. Alerts that are still firing count as recovered.
      </AskButton>
    </>
  )
}
