"""Statistics of values per problem: standard errors, intervals, comparison, planning, prediction, calibration.

SciPy is imported by the functions that use it, so that `import at_k` does not load it.
"""

from at_k.uncertainty.adaptive import AdaptiveCurve, enough, find_settled_probability, trace_adaptive
from at_k.uncertainty.bayes import BayesEstimate, bayes_at_n, bayes_of_counts
from at_k.uncertainty.bootstrap import bootstrap_interval
from at_k.uncertainty.calibration import Calibration, measure_calibration, measure_vote_shares
from at_k.uncertainty.clustering import DesignEffect, measure_design_effect
from at_k.uncertainty.comparison import compare_values, find_equivalence_p
from at_k.uncertainty.credits import credit
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.jackknife import (
    jackknife_best,
    jackknife_cons,
    jackknife_counts,
    jackknife_max,
    jackknife_mean,
    jackknife_samples,
)
from at_k.uncertainty.planning import Plan, plan_counts
from at_k.uncertainty.prediction import Prediction, predict_pass_at_k
from at_k.uncertainty.questions import Comparison
from at_k.uncertainty.ranking import Ranking, rank_values
from at_k.uncertainty.significance import holm, mcnemar_p, paired_t_p, sign_flip_p, wilcoxon_p
from at_k.uncertainty.stability import Stability, fleiss_kappa, measure_stability
from at_k.uncertainty.standard_errors import ProblemSetError, problem_set_error, standard_error
from at_k.uncertainty.unpaired import compare_unpaired
from at_k.uncertainty.variance import predict_stderr

__all__ = [
    "AdaptiveCurve",
    "BayesEstimate",
    "Calibration",
    "Comparison",
    "DesignEffect",
    "Plan",
    "Prediction",
    "ProblemSetError",
    "Ranking",
    "Stability",
    "bayes_at_n",
    "bayes_of_counts",
    "bootstrap_interval",
    "compare_unpaired",
    "compare_values",
    "credit",
    "enough",
    "find_equivalence_p",
    "find_settled_probability",
    "fleiss_kappa",
    "holm",
    "interval",
    "jackknife_best",
    "jackknife_cons",
    "jackknife_counts",
    "jackknife_max",
    "jackknife_mean",
    "jackknife_samples",
    "mcnemar_p",
    "measure_calibration",
    "measure_design_effect",
    "measure_stability",
    "measure_vote_shares",
    "paired_t_p",
    "plan_counts",
    "predict_pass_at_k",
    "predict_stderr",
    "problem_set_error",
    "rank_values",
    "sign_flip_p",
    "standard_error",
    "trace_adaptive",
    "wilcoxon_p",
]
