import { useSearch } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useMay } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { useUnkept } from '../api/unkept.ts'
import { useAction } from '../ui/action.ts'
import { Back } from '../ui/back.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Link, useGo } from '../ui/link.ts'
import { Empty, Loaded, Page, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'

/** Where GitHub sends the browser: with a code once the app is created, with an installation once it is installed. */
export function GithubApp() {
  const search = useSearch({ from: '/$ws/settings/connections/github-app' })
  const may = useMay('admin')
  return (
    <Page title="GitHub App" above={<Back to="/$ws/settings/connections" />}>
      {!may ? (
        <Empty icon={Lock} title="Only owners and admins can manage connections" />
      ) : search.code && search.state ? (
        <Converting code={search.code} state={search.state} />
      ) : search.installation_id && search.state ? (
        <Finishing installation={Number(search.installation_id)} state={search.state} />
      ) : search.app ? (
        <Installing app={search.app} isRequested={search.setup_action === 'request'} />
      ) : (
        <p className="text-sm">
          {search.setup_action === 'request'
            ? 'An owner of the organization has to approve the app on GitHub. Until then, it’s listed under Connections.'
            : 'Nothing to do here.'}
        </p>
      )}
    </Page>
  )
}

/** Does something once for what came with the address, however often the page is drawn. */
function useOnce(work: () => void) {
  const done = useRef(false)
  useEffect(() => {
    if (done.current) return
    done.current = true
    work()
  })
}

function Converting({ code, state }: { code: string; state: string }) {
  const navigate = useGo()
  const convert = useUnkept('connections.convertApp')
  useOnce(
    () =>
      void convert.send({ code, state }, ({ id }) => {
        // The code is spent; it leaves the address and the history with it.
        void navigate({
          to: '/$ws/settings/connections/github-app',
          search: { app: id },
          replace: true,
        })
      }),
  )
  return convert.error ? <StartAgain error={convert.error} /> : <p className="text-sm">Saving the app…</p>
}

/** Asks GitHub whether the app was created, and goes to the connection that it is now. */
function useFinish(replace: boolean) {
  const go = useGo()
  return useAction('connections.finishApp', {
    said: ({ account }) => `Connected as ${account}`,
    next: ({ id }) =>
      go({ to: '/$ws/settings/connections/$connection', params: { connection: id }, replace }),
  })
}

function Finishing(input: { installation: number; state: string }) {
  const finish = useFinish(true)
  useOnce(() => finish.send(input))
  return finish.error ? <StartAgain error={finish.error} /> : <p className="text-sm">Connecting the app…</p>
}

const StartAgain = ({ error }: { error: Error }) => (
  <div className="flex max-w-2xl flex-col items-start gap-4">
    <Refused error={error} />
    <Link to="/$ws/settings/connections" className={buttonClass()}>
      Go to connections
    </Link>
  </div>
)

function Installing({ app, isRequested }: { app: string; isRequested: boolean }) {
  const [go, finish] = [useGo(), useFinish(false)]
  const drop = useAction('connections.dropApp', {
    said: 'App removed here. Delete it on GitHub too.',
    next: () => go({ to: '/$ws/settings/connections' }),
  })
  const read = useRead('connections.installUrl', { app })
  return (
    <Loaded of={read}>
      {({ name, url }) => (
        <Section
          title={`${name} is created`}
          hint="Its private key is stored encrypted. Now choose the repositories it may use."
        >
          {isRequested && (
            <p className="mb-4 text-sm">
              An owner of the organization has to approve the installation on GitHub. Come back here then.
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            <a href={url} className={buttonClass('primary')}>
              Install on GitHub
            </a>
            <Button {...finish.button({ app })}>I’ve installed it</Button>
            <Button look="quiet" {...drop.button({ app })}>
              Remove app
            </Button>
          </div>
        </Section>
      )}
    </Loaded>
  )
}
