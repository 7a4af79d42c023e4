/** After one has left: a whole new page, so that everything read of the workspace is gone with it. */
export const goHome = (): void => location.assign('/')
