/** How often a team's repository is surveyed. No schema here: the app takes these values too. */
export const maintenanceSchedules = ['off', 'daily', 'weekly', 'monthly'] as const
export type MaintenanceSchedule = (typeof maintenanceSchedules)[number]

/** The hour of the day, in UTC, at which a survey is due. */
export const surveyHour = 3
