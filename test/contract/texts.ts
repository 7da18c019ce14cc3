import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');

/** What explains a message: beneath an error, or to an AI model. It is read where it is shown. */
const EXPLAINING = new Set(['advice', 'description', 'detail', 'hint', 'toolDescription']);

/** Whose second argument explains the first. */
const EXPLAINED = new Set(['Problem', 'fail']);

/** A text in the source code of the package. */
export interface Text {
	/** With "…" for each part that is filled in. */
	words: string;
	/** Such as `nodes/MessagingService/nodeError.ts:34`. */
	place: string;
}

/**
 * Every text of two words and more in the code that n8n loads, except what only explains another one. It is
 * found by what it looks like and not by where it goes, so that no way of reporting something can be missed.
 */
export function collectTexts(root = ROOT): Text[] {
	const files = globSync('{credentials,nodes}/**/*.ts', { cwd: root });
	return files
		.filter((file) => !file.endsWith('api.types.ts'))
		.flatMap((file) => textsOf(root, file));
}

function textsOf(root: string, file: string): Text[] {
	const source = ts.createSourceFile(
		file,
		readFileSync(join(root, file), 'utf8'),
		ts.ScriptTarget.Latest,
		true,
	);
	const texts: Text[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || explains(node)) return;
		const words = wordsOf(node);
		if (words !== undefined && /\p{L}.* .*\p{L}/su.test(words)) {
			const { line } = source.getLineAndCharacterOfPosition(node.getStart());
			texts.push({ words, place: `${file}:${line + 1}` });
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return texts;
}

function wordsOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return undefined;
	return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}

function explains(node: ts.Node): boolean {
	if (ts.isPropertyAssignment(node)) return EXPLAINING.has(node.name.getText());
	const { parent } = node;
	if (!parent || !(ts.isCallExpression(parent) || ts.isNewExpression(parent))) return false;
	const name = ts.isPropertyAccessExpression(parent.expression)
		? parent.expression.name
		: parent.expression;
	return EXPLAINED.has(name.getText()) && parent.arguments?.[1] === node;
}
