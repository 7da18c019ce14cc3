import type { Locator } from 'playwright-core';

/** A part of the page, in its pixels. */
export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** The area of an element. */
export async function areaOf(element: Locator): Promise<Area> {
	const box = await element.boundingBox();
	if (!box) throw new Error(`There is nothing to see of ${String(element)}`);
	return box;
}

/** The smallest area around others, with a margin. */
export function around(areas: Area[], margin = 0): Area {
	const x = Math.min(...areas.map((area) => area.x)) - margin;
	const y = Math.min(...areas.map((area) => area.y)) - margin;
	const right = Math.max(...areas.map((area) => area.x + area.width)) + margin;
	const bottom = Math.max(...areas.map((area) => area.y + area.height)) + margin;
	return { x, y, width: right - x, height: bottom - y };
}
