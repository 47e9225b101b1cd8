import type { NodeHoverDrawingFunction } from 'sigma/rendering';
import type { DrawnEdge, DrawnNode } from './drawing.ts';

/** A node that is pointed at or chosen: its label in full on a ground of its own, in the page's colours. */
export function hoverDrawing(
  colours: () => { ink: string; surface: string; accent: string },
): NodeHoverDrawingFunction<DrawnNode, DrawnEdge> {
  return (context, { x, y, size, label, color }, { labelSize, labelFont, labelWeight }) => {
    const { ink, surface, accent } = colours();
    context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
    const text = typeof label === 'string' ? label : '';
    const [height, gap] = [labelSize + 8, size + 3];
    if (text !== '') {
      const width = context.measureText(text).width;
      context.beginPath();
      context.roundRect(
        x - gap - 3,
        y - Math.max(height / 2, gap + 2),
        width + 2 * gap + 12,
        2 * Math.max(height / 2, gap + 2),
        6,
      );
      context.fillStyle = surface;
      context.strokeStyle = accent;
      context.lineWidth = 1;
      context.fill();
      context.stroke();
    }
    context.beginPath();
    context.arc(x, y, size + 2, 0, Math.PI * 2);
    context.fillStyle = accent;
    context.fill();
    context.beginPath();
    context.arc(x, y, size, 0, Math.PI * 2);
    context.fillStyle = color;
    context.fill();
    context.fillStyle = ink;
    context.fillText(text, x + gap + 3, y + labelSize / 3);
  };
}
