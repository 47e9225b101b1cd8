/** How many jobs are sent at once, in all and to one processor. */
export const mostAtOnce = { all: 32, each: 10 };
