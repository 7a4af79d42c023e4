/** The title of alerts that only try a source. An incident that one of them opened is a test, no matter who sent it. */
export const testAlertTitle = 'Test alert from Signalbox'

export const isTestIncident = ({ title }: { title: string }): boolean => title === testAlertTitle
