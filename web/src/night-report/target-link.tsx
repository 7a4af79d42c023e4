import type { NightReport, Target } from '@signalbox/contract/app/night-report.ts'
import type { ReactNode } from 'react'
import { Link } from '../ui/link.ts'

interface Props {
  target: Target
  /** What of the audit log is shown. */
  span: Pick<NightReport, 'from' | 'until'>
  className: string
  children: ReactNode
}

/** A sentence that leads to what it is about. */
export function TargetLink({ target: { type, id }, span, ...rest }: Props) {
  switch (type) {
    case 'run':
      return <Link to="/$ws/runs/$key" params={{ key: id }} {...rest} />
    case 'decision':
      return <Link to="/$ws/decisions/$key" params={{ key: id }} {...rest} />
    case 'incident':
      return <Link to="/$ws/incidents/$key" params={{ key: id }} {...rest} />
    case 'story':
      return <Link to="/$ws/stories/$key" params={{ key: id }} {...rest} />
    case 'connection':
      return <Link to="/$ws/settings/connections/$connection" params={{ connection: id }} {...rest} />
    case 'source':
      // Its page is one of a service's, which shows what is wrong with its sources.
      return <Link to="/$ws/services" {...rest} />
    case 'webhook':
      return <Link to="/$ws/settings/webhooks/$webhook" params={{ webhook: id }} {...rest} />
    case 'runners':
      return <Link to="/$ws/settings/runners" {...rest} />
    case 'insights':
      return <Link to="/$ws/insights" search={{ range: '7', ...(id && { team: id }) }} {...rest} />
    case 'runs':
      return <Link to="/$ws/runs" search={id ? { status: id } : {}} {...rest} />
    case 'inbox':
      return <Link to="/$ws/inbox" search={id ? { status: id } : {}} {...rest} />
    case 'incidents':
      return <Link to="/$ws/incidents" search={id ? { status: id } : {}} {...rest} />
    case 'audit':
      return (
        <Link
          to="/$ws/audit"
          search={{ from: span.from, to: span.until, ...(id && { event: id }) }}
          {...rest}
        />
      )
  }
}
