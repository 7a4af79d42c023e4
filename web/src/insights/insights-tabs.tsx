import { Link, Tabs, tabClass } from '../ui/page.tsx'

/** What happened day by day, and how agents, models and teams compare. */
export const InsightsTabs = () => (
  <Tabs label="Insights sections">
    <Link to="/$ws/insights" activeOptions={{ exact: true, includeSearch: false }} {...tabClass}>
      Overview
    </Link>
    <Link to="/$ws/insights/scoreboard" activeOptions={{ includeSearch: false }} {...tabClass}>
      Scoreboard
    </Link>
  </Tabs>
)
