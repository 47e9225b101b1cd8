/** The classes of a link in the head of a screen to one beside it, or to itself. */
export const screenLink =
  'flex items-center gap-1.5 rounded-md px-2 py-1 text-quiet hover:bg-sunken data-[status=active]:bg-accent-soft data-[status=active]:font-medium data-[status=active]:text-ink';
