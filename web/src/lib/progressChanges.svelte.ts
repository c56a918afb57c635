/** Counts changes of the progress in lessons, so that pages refresh. */
export const changes = $state({ count: 0 });
