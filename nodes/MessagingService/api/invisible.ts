/**
 * A text without the characters that nobody sees and that make equal texts differ: those of no width, variation
 * selectors, joiners, fillers, marks of the writing direction. Spaces of any kind stay.
 */
export function withoutInvisible(text: string): string {
	return text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}
