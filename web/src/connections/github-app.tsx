import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { useUnkept } from '../api/unkept.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Empty, Link, Loaded, Page, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { complain, say } from '../ui/toast.tsx'

/** Where GitHub sends the browser: with a code once the app is created, with an installation once it is installed. */
export function GithubApp() {
  const { ws } = useParams({ from: '/$ws/settings/connections/github-app' })
  const search = useSearch({ from: '/$ws/settings/connections/github-app' })
  const may = useMay('admin')
  const back = (
    <Link to="/$ws/settings/connections" params={{ ws }} className="hover:underline">
      Connections
    </Link>
  )
  return (
    <Page title="GitHub App" above={back}>
      {!may ? (
        <Empty icon={Lock} title="Only owners and admins can manage connections" />
      ) : search.code && search.state ? (
        <Converting code={search.code} state={search.state} ws={ws} />
      ) : search.installation_id && search.state ? (
        <Finishing installation={Number(search.installation_id)} state={search.state} ws={ws} />
      ) : search.app ? (
        <Installing app={search.app} isRequested={search.setup_action === 'request'} ws={ws} />
      ) : (
        <p className="text-sm">
          {search.setup_action === 'request'
            ? 'An owner of the organization has to approve the app at GitHub. It is listed under Connections until then.'
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

function Converting({ code, state, ws }: { code: string; state: string; ws: string }) {
  const navigate = useNavigate()
  const convert = useUnkept('connections.convertApp')
  useOnce(
    () =>
      void convert.send({ code, state }, ({ id }) => {
        // The code is spent; it leaves the address and the history with it.
        void navigate({
          to: '/$ws/settings/connections/github-app',
          params: { ws },
          search: { app: id },
          replace: true,
        })
      }),
  )
  return convert.error ? (
    <StartAgain error={convert.error} ws={ws} />
  ) : (
    <p className="text-sm">Saving the app…</p>
  )
}

function Finishing({ installation, state, ws }: { installation: number; state: string; ws: string }) {
  const [navigate, finish] = [useNavigate(), useWrite('connections.finishApp')]
  useOnce(() =>
    finish.mutate(
      { installation, state },
      {
        onSuccess: ({ id, account }) => {
          say(`Connected as ${account}`)
          void navigate({
            to: '/$ws/settings/connections/$connection',
            params: { ws, connection: id },
            replace: true,
          })
        },
      },
    ),
  )
  return finish.error ? (
    <StartAgain error={finish.error} ws={ws} />
  ) : (
    <p className="text-sm">Connecting the app…</p>
  )
}

const StartAgain = ({ error, ws }: { error: Error; ws: string }) => (
  <div className="flex max-w-2xl flex-col items-start gap-4">
    <Refused error={error} />
    <Link to="/$ws/settings/connections" params={{ ws }} className={buttonClass()}>
      Go to connections
    </Link>
  </div>
)

function Installing({ app, isRequested, ws }: { app: string; isRequested: boolean; ws: string }) {
  const [navigate, finish, drop] = [
    useNavigate(),
    useWrite('connections.finishApp'),
    useWrite('connections.dropApp'),
  ]
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
              An owner of the organization has to approve the installation at GitHub. Come back here then.
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            <a href={url} className={buttonClass('primary')}>
              Install at GitHub
            </a>
            <Button
              busy={finish.isPending}
              onClick={() =>
                finish.mutate(
                  { app },
                  {
                    onSuccess: ({ id, account }) => {
                      say(`Connected as ${account}`)
                      void navigate({
                        to: '/$ws/settings/connections/$connection',
                        params: { ws, connection: id },
                      })
                    },
                    onError: complain,
                  },
                )
              }
            >
              I have installed it
            </Button>
            <Button
              look="quiet"
              busy={drop.isPending}
              onClick={() =>
                drop.mutate(
                  { app },
                  {
                    onSuccess: () => {
                      say('App removed here. Delete it at GitHub, too.')
                      void navigate({ to: '/$ws/settings/connections', params: { ws } })
                    },
                    onError: complain,
                  },
                )
              }
            >
              Remove app
            </Button>
          </div>
        </Section>
      )}
    </Loaded>
  )
}
