import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { Loaded, Page } from '../ui/page.tsx'
import { Provisioning } from './provisioning.tsx'
import { Requirement } from './requirement.tsx'

/** How the identity provider decides who enters the workspace. Only owners see it. */
export function SingleSignOn() {
  const forbidden = useForbidden('manage single sign-on', 'owner')
  return (
    <Page title="Single sign-on">
      {forbidden ? <p className="text-sm text-muted">{forbidden}.</p> : <Settings />}
    </Page>
  )
}

function Settings() {
  const setting = useRead('singleSignOn.read', {})
  return (
    <Loaded of={setting} lines={4}>
      {(shown) => (
        <>
          <Requirement of={shown} />
          <Provisioning of={shown} />
        </>
      )}
    </Loaded>
  )
}
