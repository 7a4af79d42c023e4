import { boardRoutes } from './legacy.ts'
import { auditRoutes } from './v1/audit.ts'
import { decisionRoutes } from './v1/decisions.ts'
import type { Route } from './v1/route.ts'
import { runRoutes } from './v1/runs.ts'
import { storyRoutes } from './v1/stories.ts'
import { teamRoutes } from './v1/teams.ts'

/** Every endpoint of the REST API. */
export const routes: Route[] = [
  ...teamRoutes,
  ...storyRoutes,
  ...runRoutes,
  ...decisionRoutes,
  ...auditRoutes,
  ...boardRoutes,
]
