"""The look of the pages: one accent colour, and fonts of the visitor's own system, so that none are downloaded."""

from pathlib import Path

import gradio as gr

STYLE = Path(__file__).with_name("style.css")

_TEXT = ("system-ui", "-apple-system", "Segoe UI", "Noto Sans", "Noto Sans CJK SC", "PingFang SC", "sans-serif")
_CODE = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")


def make_theme() -> gr.themes.Base:
    """Make the theme of all pages."""
    return gr.themes.Base(
        primary_hue=gr.themes.colors.indigo,
        secondary_hue=gr.themes.colors.indigo,
        neutral_hue=gr.themes.colors.gray,
        radius_size=gr.themes.sizes.radius_md,
        font=_TEXT,
        font_mono=_CODE,
    ).set(
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_400",
        block_border_width="0px",
        block_shadow="none",
        block_background_fill="*neutral_50",
        block_background_fill_dark="*neutral_900",
        background_fill_secondary="*neutral_50",
        input_background_fill="white",
        input_background_fill_dark="*neutral_800",
        input_border_color="*neutral_300",
        input_border_color_dark="*neutral_700",
        input_border_width="1px",
        button_primary_background_fill="*primary_600",
        button_primary_background_fill_hover="*primary_700",
        button_primary_background_fill_dark="*primary_600",
        button_primary_background_fill_hover_dark="*primary_700",
        button_secondary_background_fill="*neutral_100",
        button_secondary_background_fill_hover="*neutral_200",
        block_label_text_weight="500",
        block_title_text_weight="500",
        block_title_text_color="*neutral_800",
        block_title_text_color_dark="*neutral_200",
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_400",
        color_accent="*primary_600",
        link_text_color_dark="*primary_300",
        body_background_fill="white",
        body_background_fill_dark="#0b0f19",
    )
