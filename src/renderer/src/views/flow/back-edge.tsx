import { BaseEdge, type EdgeProps } from '@xyflow/react';

/** A way back to a step at the left: in a bow over those between, which would hide a straight one. */
export function BackEdge({ sourceX, sourceY, targetX, targetY, id: _, ...edge }: EdgeProps) {
  const height = Math.max(120, (sourceX - targetX) / 4);
  const top = Math.min(sourceY, targetY) - height;
  const path = `M ${sourceX} ${sourceY} C ${sourceX + 110} ${top}, ${targetX - 110} ${top}, ${targetX} ${targetY}`;
  const { label, labelStyle, labelBgStyle, labelBgPadding, labelBgBorderRadius, markerEnd, style } = edge;
  return (
    <BaseEdge
      path={path}
      {...definedOf({ label, labelStyle, labelBgStyle, labelBgPadding, labelBgBorderRadius, markerEnd, style })}
      labelX={(sourceX + targetX) / 2}
      labelY={(sourceY + targetY) / 8 + top * 0.75}
    />
  );
}

/** Without the members that are undefined, which the types of the library do not take. */
function definedOf<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
